"""Words that turn a question into another one: opposites, comparatives, aspects, dates, units, kinds of question.

A word belongs to a group when it begins as one of the group's entries does; one that ends with `=` must be the whole
word.
Words are folded (lower case, ё as е).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Groups = Mapping[str, tuple[str, ...]]
Axes = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def _groups(**lines: str) -> Groups:
    return {name: tuple(line.split()) for name, line in lines.items()}


def _axes(*lines: str) -> Axes:
    pairs = [line.split("|") for line in lines]
    return tuple((tuple(one.split()), tuple(other.split())) for one, other in pairs)


OPPOSITES = _axes(
    "включ подключ активир актив= enabl activat turn-on switch-on connect= connecting setup| отключ выключ деактив"
    " disabl"
    " deactivat turn-off switch-off disconnect",
    "установ устанавл поставить= install | удали удал снос деинстал uninstall delet remov eras",
    "добав внес внест add= adding adds includ | убра убир исключ удали удал remov exclud delet",
    "создат создан создав завест завед creat | удали удал закрыт закрыв delet",
    "восстан вернуть-аккаунт restor recover undelet | удали удал стерет delet eras",
    "блокир заблок block= blocking blocks lock= freez замороз | разблок unblock unlock unfreez размороз",
    "открыт откры open= opening opens | закры close= closing closes shut",
    "экспорт выгруз export download скача | импорт загруз import upload",
    "отправ посла пошл send= sending sends mail-out | получ принят приня прише пришл receiv get-by get-from incoming",
    "перевест= внести= вложи положи депозит пополн deposit top-up topup | вывест вывод вывож снят сним withdraw"
    " cash-out",
    "купи покуп приобре buy purchas | прода sell= selling sells resel",
    "подписат подписыв subscrib opt-in | отписат отписыв unsubscrib opt-out",
    "вход= войти= входа= зайти= авторизов log-in login sign-in | выход= выйти= выхода= разлогин log-out logout"
    " sign-out",
    "начат начал начин начн старт start begin launch запуст | законч заверш прекрат останов окончан конец= конца="
    " stop end="
    " ending ends finish terminat",
    "продл renew extend prolong | расторг прекрат отмен аннулир cancel terminat",
    "оформ заказа= заказать= order= ordering book= booking place-order | отмен аннулир cancel",
    "подтверд одобр соглас accept approv confirm allow разреш | отклон отказ отверг reject declin deny denied refus"
    " запре"
    " forbid prohibit disallow",
    "повыс повыш увелич upgrad increas rais | пониз пониж уменьш снизит снижен downgrad decreas reduc",
    "показ отобраз show= showing unhid display | скрыт скрыв hide hidden",
    "привяз link= linking attach pair= pairing | отвяз unlink detach unpair",
    "сдать= сдава сдаю lend= lending | арендова снять= снима взять= borrow",
    "взыск списа списыв charg debit deduct | зачисл возврат вернут возвращ refund credit= credited",
    "публичн открытый= общедоступ public= | приватн закрытый= private=",
    "засел вселен вселит | высел",
    "приех въезд въех заезд заех arriv check-in move-in | уех выезд выех съезд съех depart check-out move-out",
    "вручную ручн manual | автомат auto= automat",
    "временн temporar | постоян навсегда permanent forever",
    "бесплатн даром free= | платн платит paid=",
    "онлайн удален дистанц online remote | офлайн лично офис offline in-person office",
    "физлиц физическ individual | юрлиц юридическ организац compan business= corporate",
    "новый= нового= новая= новую= new= | старый= старого= старая= старую= прежн old= previous= former",
    "взросл adult | ребен детск дети= детей= child kids= minor=",
    "первый= первая= первого= first= | последн last= final=",
    "входящ incoming inbound | исходящ outgoing outbound",
    "внутри внутрен inside internal domestic indoor | снаружи внешн outside external outdoor",
    "международн заграниц рубеж international abroad overseas | внутрироссийск местн domestic local",
    "полност целиком полный= полное= full= fully entire whole | частич часть= partial part=",
    "арендатор жилец нанимател tenant renter buyer покупател | арендодат собственник наймодат landlord owner seller"
    " продав",
    "сотрудник работник employee worker staff | работодат руководит начальник manager= employer boss",
    "печат печать= print | сканир scan",
    "прибав плюс= above= exceed прибыл profit gain | вычест минус= below= убыт loss=",
    "зима= зимой= зимн winter | летом= лето= летн summer",
    "днем= дневн daytime | ночью= ночн night",
    "утр morning | вечер evening",
    "левый= лев= left= | прав= правый= right=",
    "mute= мут= выключить-звук | unmute",
    "hire= hiring нанять= найм= | fire= firing уволи dismiss",
    "вес= weight | рост= height",
)
"""Axes of opposites; the two sides of one must not meet."""

COMPARATIVES = _axes(
    "больше= более= больш свыше= more= greater larger bigger exceed over= | меньше= менее= less= fewer smaller under=",
    "дороже= дорог expensive pricier costlier | дешев cheap",
    "быстре скоре faster quicker sooner fast= | медлен дольше= slower longer slow=",
    "раньше= ранее= до= заране досрочн before= earlier prior= early= advance | позже= позднее= после= later= after="
    " late="
    " overdue просроч опозда",
    "выше= высок higher above= high= | ниже= низк lower below= low=",
    "лучше= лучш better= best= | хуже= худш worse= worst=",
    "максимал максимум= наибольш maximum max= most= highest | минимал минимум= наименьш minimum min= least= lowest",
    "тяжел heavier heavy= | легче= легк lighter light=",
    "моложе= younger | старше= older",
    "ближе= ближайш nearest closer close-to | дальше= дальн farthest further",
    "длинне длиннее= longer | короче= shorter",
    "шире= wider | уже-чем= narrower",
    "чаще= often= frequently | реже= rarely seldom",
)

ASPECTS = _groups(
    price="цен стоим стоит= стоят= стоить= тарифы= price pric cost почем= расцен",
    fee="комисс fee= fees= surcharge плата=",
    fine="штраф пени= пеня= penalt неустойк",
    term="срок длител продолжительн duration deadline how-long period= сколько-дней",
    documents="документ справк бумаг паспорт document paperwork papers= certificate",
    address="адрес address",
    phone="телефон смартфон phone smartphone",
    email="почт= почта= почту= почты= e-mail email",
    status="статус status отслед track",
    limit="лимит ограничен limit maximum-amount",
    reason="причин reason",
    requirement="требован requirement услови condition eligib",
    schedule="график расписан режим-работы часы= hours= schedule opening-hours",
    contents="входит= включено= included= состав= contents",
    format="формат format",
    size="размер size= dimension габарит",
    colour="цвет color colour",
    weight="вес= веса= weight",
    password="парол password",
    pin="пин= пин-код пинкод pin=",
    login="логин login-name username",
    name="фамил имя= имени= surname name=",
    history="истори history",
    receipt="чек= чека= чеки= квитанц receipt",
    invoice="инвойс invoice счет-фактур",
    statement="выписк statement",
    contract="договор contract agreement",
    rules="правило= правила= правил= правилам= правилами= правилах= rules= rule= policy=",
    quality="качеств quality resolution",
    speed="скорост speed",
    discount="скидк discount промокод promo",
    bonus="бонус bonus reward кэшбэк cashback балл",
    rate="ставк процентн rate= interest",
    tax="налог tax= taxes= ндс= vat=",
    insurance="страхов insur",
    warranty="гарант warrant guarantee",
    delivery="достав deliver shipping shipment",
    refund="возврат вернуть= вернут= refund",
    exchange="обмен exchange",
    balance="баланс balance остат",
    photo="фото фотк photo picture аватар avatar",
    title="назван title",
    description="описан description",
    menu="меню= menu",
    age="возраст age= лет=",
    ownership="владел собственник owner",
    complaint="жалоб претенз пожалов complain complaint",
)
"""What is wanted of a thing. Two questions that want different aspects are two questions."""

DATES = _groups(
    january="январ january jan=", february="феврал february feb=", march="марте= марта= март= march=",
    april="апрел april apr=", may="мая= мае= май=", june="июнь= июня= июне= june=", july="июль= июля= июле= july=",
    august="август august aug=", september="сентябр september sept=", october="октябр october oct=",
    november="ноябр november nov=", december="декабр december dec=",
    monday="понедельник monday mondays=", tuesday="вторник tuesday", wednesday="среду= среда= среды= средам= wednesday",
    thursday="четверг thursday", friday="пятниц friday", saturday="суббот saturday",
    sunday="воскресен sunday", weekend="выходн weekend", weekday="будн weekday workday",
    holiday="праздник праздничн holiday", today="сегодня today", tomorrow="завтра= tomorrow",
    yesterday="вчера= yesterday", spring="весн spring", summer="летом= летн summer", autumn="осен autumn",
    winter="зимой= зимн winter", last_time="прошл прошед last-month last-year last-week previous-month",
    next_time="следующ будущ next=",
)  # fmt: skip

UNITS = _groups(
    second="секунд second= seconds= сек=", minute="минут minute мин=", hour="час= часа= часов= часы= hour",
    day="день= дня= дней= дни= суток= сутки= day= days=", week="недел week", month="месяц месяч month",
    quarter="квартал quarter", year="г= год= года= году= лет= годов ежегод year annual",
    rouble="рубл руб= rouble ruble rub=",
    dollar="доллар dollar usd=", euro="евро= euro eur=", percent="процент percent",
    kilogram="кг= килограмм kg= kilogram",
    gram="грамм gram= grams=", metre="метр= метра= метров= meter= meters= metre", kilometre="км= километр km= kilomet",
    mile="миля= миль= мили= mile", megabyte="мб= мегабайт mb= megabyte", gigabyte="гб= гигабайт gb= gigabyte",
    piece="штук piece", pound="фунт pound gbp=", litre="литр liter litre", degree="градус degree",
)  # fmt: skip

QUESTIONS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)"))
    for name, patterns in (
        ("what to do", (
            r"что (?:мне |нам )?(?:нужно |надо )?(?:делать|сделать)", r"как быть", r"как (?:мне )?поступить",
            r"what (?:should|do|can|must) (?:i|we) (?:need to )?do", r"what now",
        )),
        ("how long", (
            r"как (?:долго|скоро|быстро)",
            r"сколько (?:(?:по времени|обычно|примерно|в среднем|еще) )?(?:времени|дней|часов|минут|недель|месяцев"
            r"|ждать|длит\w+|ид[её]т|занима\w+|рассматрива\w+|обрабатыва\w+|провер\w+|хран\w+|действу\w+)",
            r"how (?:long|soon|quickly|fast)",
        )),
        ("how often", (r"как часто", r"сколько раз", r"how (?:often|many times)")),
        ("how far", (r"как далеко", r"how far")),
        ("how many", (r"сколько (?:человек|устройств|карт|штук|гостей|пользователей|людей)", r"how many")),
        ("how much", (r"сколько", r"по ?ч[её]м", r"какова (?:цена|стоимость)", r"how much")),
        ("when", (
            r"когда", r"(?:во|со|до|к) скольки?", r"в какое время", r"с какого (?:числа|момента|дня)", r"what time",
            r"when",
        )),
        ("why", (r"почему", r"зачем", r"из-за чего", r"отчего", r"для чего", r"why", r"what for", r"how come")),
        ("what", (r"кто так(?:ой|ая|ие)",)),
        ("who", (r"кто", r"кому", r"кем", r"у кого", r"с кем", r"who", r"whom", r"whose")),
        ("must", (
            r"обязател\w+ ли", r"обязан\w*", r"должен ли", r"должна ли", r"должны ли", r"нужно ли", r"надо ли",
            r"необходимо ли", r"(?:do|does|did) (?:i|we|you|\w+) (?:have|need) to", r"must", r"should (?:i|we)",
            r"is it (?:necessary|mandatory|required)",
        )),
        ("what happens", (
            r"что будет", r"что произойд[её]т", r"чем грозит", r"what (?:happens|will happen|if)",
        )),
        ("how", (
            r"как(?:им образом)?(?: (?:мне|нам|можно|я могу))?", r"how", r"steps to", r"way to",
        )),
        ("how", (
            r"куда (?:мне |нам )?(?:на)?(?:жать|жимать|тыкать|кликнуть)",
            r"where (?:do|should|can) i (?:click|tap|press)",
        )),
        ("where", (r"где", r"откуда", r"where")),
        ("meaning", (r"что (?:это )?(?:значит|означает)", r"what does .{1,60} mean")),
        ("what", (r"что такое", r"(?:это|эт[оа]й?) что", r"что это", r"что за", r"what(?: is|'s| are| does)")),
        ("which", (r"как(?:ой|ая|ое|ие|ого|ую|их|ому|им|ими)", r"which", r"what")),
        ("can", (
            r"можно ли", r"можно", r"могу ли", r"могу", r"можем", r"возможно ли", r"разреш\w+ ли", r"получится",
            r"can (?:i|we|you|my|someone)", r"may i", r"could i", r"am i (?:able|allowed)",
            r"is it (?:possible|allowed|permitted|ok|okay)",
        )),
        ("is", (
            r"[^\W\d_]+ ли", r"is there",
            r"are there", r"do you have", r"does (?:it|the|your)", r"is (?:it|the|my|your)", r"are (?:the|my|your)",
        )),
    )
)  # fmt: skip
"""Tried in this order, the first that is found says what kind of question it is."""

TROUBLE = _groups(
    trouble="ошибк сбой= сбои= отклон отказ заблок слома завис вылета глюч пропал исчез пишет= пишут= выдает="
    " неверн неправильн"
    " error fail wrong= incorrect invalid declin reject blocked broke crash freez froze stuck disappear vanish say="
    " says= saying=",
)
"""What a complaint tells of, beside all that it says is not so."""

FILLERS = frozenset(
    "сейчас срочно быстро кстати просто вообще собственно реально пож плиз подробно пошагово правильно самому сам сама"
    " давно очень прямо опять снова вопрос ответ ответить помогите помоги помощь проблема ситуация делать сделать"
    " действие действия образом порядок способ возможно получиться коллеги ребята господа уважаемый день дорогие алло"
    " пишет пишут выдает сообщает напишите инфа информация"
    " now just quickly urgently actually really simply basically correctly properly exactly"
    " right question answer help"
    " cost costs стоит стоят стоимость need needs needed год г year guys folks step steps way ok okay well so"
    " located находится находитесь расположен расположены служба службы службе службу службой team посмотреть увидеть"
    " one ones may might see view anyway asap possible possibly do make please thing able currently"
    # Chat manners
    " уточнить уточните подсказать сказать спросить понять расскажите объясните поясните посоветуйте дайте прошу"
    " просьба интересно любопытно хочется хотим хотите приветствую доброго доброй благодарю"
    " спасибо заранее ребят друзья уважаемые админ админы наконец наверное видимо кажется похоже вроде типа короче блин"
    " например допустим ладно конечно действительно честно говоря значит итак ведь даже также тоже именно хотя чтоб"
    " пока обычно нормально инфы инфу информацию информации говорит говорят сообщают выдают просят просит"
    " btw wondering wonder curious explain clarify advise kindly mate sir madam dear pls plz trying try tried wants"
    " wish hoping hope seems seem apparently maybe perhaps probably honestly literally still yet already even again got"
    " gets getting says said says telling thanks thank appreciate hey"
    # Verbs and nouns that only carry another word, as in "make a payment", and whoever is meant
    " провести проведение проведения проводить осуществить выполнить произвести происходит происходить пройти проходит"
    " прохождение прохождения подача подачи достаточно ничего нажать нажимать жать кликнуть написано надпись подробную"
    " подробной подробные человек человека человеку людей лицо лица person people click tap perform undergo happens"
    # Pronouns, question words and verbs that say only that something is, may or must be
    " меня тебя могу можем может могут смогут сможет мог могла могли смогу сможем будет будут буду будем должен должна"
    " должно должны всем всех всего вашу вашем вашей вашего вашему ваших вашим нашу нашем нашей нашего наших моем моему"
    " моим своем своему свои нужны почему зачем отчего куда откуда кому кем скольким скольких долго"
    " является являются имеется бывает"
    " go must shall might cannot being having does did doing going i'm i've i'll we're im ive someone something"
    " anything long".split()
)
"""Words that a question may have more or less without being another one."""

SYNONYMS = _groups(
    change="измен помен меня смен замен обнов правк редактир отредакт change changing update edit modify replac",
    on="включ подключ активир enabl activat connect turn-on switch-on",
    off="отключ выключ деактив disabl deactivat disconnect turn-off switch-off",
    see="посмотр смотре увид узна провер гляну найти найд просм find see= view check look",
    download="скача загруз download",
    upload="загруз загруж загрузк залит= закача upload",
    publish="публик опублик выклад выложи размест размещ publish post= posted posting",
    delete="удал стере стира очист delet eras remov clear",
    cancel="отмен аннулир cancel",
    pay="оплат заплат плат= платить= pay= paying payment",
    create="созда завес завод create creating make= making",
    begin="начат начин начн старт запуст запуск begin start launch",
    send="отправ посла пришл send= sending submit подать= подач подаю передат передач направит= направля",
    arrive="приход прид пришл пришел= поступ доход arriv come= comes coming",
    sign_up="регистр зарег register registration sign-up signup",
    log_in="войти= вход= входа= входит= зайти= зайд пуска пусти авторизо авториз залогин log-in login sign-in signin",
    log_out="выйти= выход= выхода= разлогин log-out logout sign-out",
    money="деньг денег средств money funds cash",
    charge="списа списыв сняли= снимают= снято= charg debit deduct",
    toggle="turn= switch=",
    recover="восстан сброс вернуть= возвращение= recover reset restore regain",
    confirm="подтверд подтвержд верифи confirm verif",
    reject="отклон отказа отказыв отказан reject declin",
    block="блокир заблок забан бан= block= blocked blocking ban= banned",
    install="установ устанав поставит install set-up",
    contact="связат свяж написат обратит обращ контакт contact reach write",
    grant="предостав выдат выдач дать= дает дают grant give= giving provide",
    there="доступн есть= существу предусмотр поддержива поддерживае появ будет= будут= имеет available supported exist",
    allow="разреш позвол допуск допуст allow permit",
    use="использ воспольз пользоваться= пользуюсь= примен применя use= using usage",
    choose="выбр выбир choose select pick=",
    show="показ покаж отобраз отображ демонстр show= shown showing display",
    move="перенест перенос перемест перемещ move= moving transfer migrat",
    fix="почин исправ устран fix= fixing repair",
    reckon="рассчит рассчитыв считать= считает считают считает начисл calculat comput accru",
    lose="потеря утеря утрат lost= lose= losing loss=",
    old="устар старая= старой= старый= старую= outdated obsolete old=",
    go_on="длит продолж идет= занима last= lasts take= takes",
    reply="ответ отвеча reply replies respon answer",
    error="ошибк сбой= сбои= сбоя= неполадк глюк error= errors failure bug= glitch fault",
    video="видео видеоролик ролик клип video clip",
    stream="трансляц стрим эфир stream broadcast livestream",
    image="картинк изображ фото фотк image picture photo pic=",
    sound="звук аудио sound audio",
    film="фильм кино= кинофильм film movie",
    app="приложен прилож app= application",
    site="сайт веб-сайт website site= web-site",
    page="страниц страничк page",
    link="ссылк линк= link= links= url",
    phone="телефон смартфон мобильн phone smartphone",
    computer="компьютер комп= компа= пк= ноутбук computer pc= laptop",
    television="телевизор телек тв= tv= television",
    device="устройств гаджет девайс device gadget",
    internet="интернет инет internet",
    mail="почт= почта= почту= почты= почте= имейл емейл емайл мейл e-mail email",
    account="аккаунт профил учетн account profile",
    settings="настройк параметр setting option parameter preference",
    person="человек люд лицо= лица= лиц= person people individual",
    client="клиент покупател заказчик client customer buyer",
    worker="сотрудник работник employee worker staff",
    child="ребен ребят= дети= детей= детям= child kid= kids=",
    shop="магазин shop= store=",
    flat="квартир flat= apartment",
    car="машин автомоб авто= car= vehicle",
    parcel="посылк отправлени parcel package",
    wage="зарплат оклад salary wage paycheck",
    donation="донат пожертвов donat",
    information="информац данные= данных= сведени information data= details=",
    cost="стоим стоит= стоят= цен price cost",
    repay="погас выплат закрыт закры repay payoff pay-off",
    need="нуж необходим требу потреб require need",
    soon="рассматр рассмотр review",
    permission="прав= права= правами= доступ rights permission access",
    limit="огранич лимит limit restrict",
    support="поддержк= поддержку= поддержке= поддержкой= поддержки= саппорт техподдерж support helpdesk",
    whole="весь вся всю целиком целый целого полност whole entire entirely",
)
"""Words that people use for each other in questions to a support desk."""

SOURCES = frozenset("с со из from".split())
TARGETS = frozenset("в во на к ко до to into onto toward towards".split())
