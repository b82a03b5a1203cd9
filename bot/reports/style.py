"""The style sheet of the report."""

STYLE = """
:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--ink:#1c2128;--soft:#5d6673;--line:#e2e5ea;
--faq-direct:#2f6fb7;--faq-adjacent:#74aee0;--answered:#2f9468;--missed:#d9822b;--blocked:#9aa1ab;--failed:#c23b3b;
--escalated:#7e57c2;--saved:#b9d7b0}
@media (prefers-color-scheme:dark){:root{--back:#14171b;--card:#1d2127;--ink:#e6e9ed;--soft:#9aa4b1;--line:#343a43;
--faq-direct:#5b9be3;--faq-adjacent:#9cc8ef;--answered:#4fb587;--missed:#eda050;--blocked:#7c8591;--failed:#e06c6c;
--escalated:#a98be0;--saved:#52704b}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.2rem clamp(.7rem,3vw,2rem) 2rem;max-width:84rem;background:var(--back);color:var(--ink);
font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
h1{font-size:1.6rem;margin:0}header p{margin:.1rem 0 1rem;color:var(--soft)}
h2{font-size:1rem;margin:0 0 .5rem}
.tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:.7rem;margin:0 0 .9rem}
.tiles div,.card{background:var(--card);border:1px solid var(--line);border-radius:10px}
.tiles div{padding:.6rem .8rem}.tiles dt{color:var(--soft);font-size:.85rem}
.tiles dd{margin:0;font-size:1.45rem;font-weight:600;line-height:1.25}
.tiles small{display:block;font-size:.78rem;font-weight:400;color:var(--soft);min-height:1.2em}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:.9rem}
.card{padding:.8rem .9rem;min-width:0}
.wide{margin-top:.9rem;overflow-wrap:anywhere}
svg{display:block;width:100%;height:auto;max-width:30rem}
svg text{font-size:11px;fill:var(--soft)}svg .grid{stroke:var(--line);fill:none}
svg .line{fill:none!important;stroke-width:2;stroke-linejoin:round}
svg.spark{width:auto;max-width:none;flex:none}.way{display:inline-flex;gap:.5rem;align-items:center;white-space:nowrap}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;margin:.5rem 0 0;font-size:.85rem}
.legend i{display:inline-block;width:.75em;height:.75em;border-radius:2px;margin-right:.4em}
.note,.nothing,.how,footer{color:var(--soft);font-size:.85rem}.note{margin:.4rem 0 0}.nothing{margin:2rem 0}
.how{margin:-.3rem 0 .5rem}.empty{padding:2.5rem 1rem;text-align:center;color:var(--soft)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th{text-align:left;font-weight:500;color:var(--soft);font-size:.82rem}
td,th{padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
.numbers td:not(:first-child),.numbers th:not(:first-child),.n{text-align:right;white-space:nowrap}
.q{min-width:12rem}.state{white-space:nowrap}
.paths{columns:20rem;margin:0;padding-left:1.1rem;font-size:.9rem}
@media (max-width:40rem){.tiles{grid-template-columns:repeat(2,1fr)}
.rows thead{display:none}.rows tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
.rows tr:last-child{border-bottom:0}
.rows td{display:flex;gap:.8rem;justify-content:space-between;padding:.1rem 0;border:0;text-align:right}
.rows td:empty{display:none}
.rows td::before{content:attr(data-name);color:var(--soft);font-size:.82rem;text-align:left;white-space:nowrap}
.rows td.q{display:block;text-align:left;font-weight:600}.rows td.q::before{content:none}}
""" + "".join(
    f".c-{name}{{fill:var(--{name});background:var(--{name});stroke:none}}.line.c-{name}{{stroke:var(--{name})}}"
    for name in (
        "faq-direct", "faq-adjacent", "answered", "missed", "blocked", "failed", "escalated", "saved",
    )
) + ".c-none{fill:var(--line)}"  # fmt: skip
