"""A model folder of BGE-M3's shape, 350 kB, for the real FlagEmbedding to load and run.

The weights are made so that vectors mean something: attention is uniform, the layers pass their input through, and so
the first token's vector is the mean of all tokens' vectors. Texts with common words are close, others are not.
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

HIDDEN = 64

_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
# All letters are tokens, so that a word unknown to the model falls into letters.
_ALPHABET = "abcdefghijklmnopqrstuvwxyzабвгдежзийклмнопрстуфхцчшщъыьэюяё0123456789?!.,-%'«»()/:▁"
_CORPUS = [
    "how do i cancel my subscription",
    "how do i reset my account password",
    "what is the daily cash withdrawal limit on a debit card",
    "what will the weather be tomorrow",
    "как отменить подписку",
    "как сбросить пароль от личного кабинета",
    "какой лимит на снятие наличных по дебетовой карте в день",
    "какая завтра погода",
]


def tiny_bge_m3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder, made once for a test run."""
    if find_spec("FlagEmbedding") is None:
        pytest.skip("NOTHING IS TESTED ON BGE-M3: FlagEmbedding is not installed (make setup-bge).")
    folder = tmp_path_factory.getbasetemp() / "tiny-bge-m3"
    if not folder.exists():
        folder.mkdir()
        with warnings.catch_warnings():
            # Their imports warn of each other's deprecations; imported here, they are silent in the tests.
            warnings.simplefilter("ignore")
            import FlagEmbedding  # noqa: F401

            _build(folder)
    return folder


def _build(folder: Path) -> None:
    import torch
    from transformers import XLMRobertaConfig, XLMRobertaModel

    torch.manual_seed(7)
    tokens = _save_tokenizer(folder)
    config = XLMRobertaConfig(
        vocab_size=tokens,
        hidden_size=HIDDEN,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=2 * HIDDEN,
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        layer_norm_eps=1e-5,
    )
    model = XLMRobertaModel(config)
    with torch.no_grad():
        _make_meaningful(model)
        sparse, colbert = torch.nn.Linear(HIDDEN, 1), torch.nn.Linear(HIDDEN, HIDDEN)
        sparse.weight.mul_(0.1)
        sparse.bias.fill_(0.5)
    model.save_pretrained(folder)
    torch.save(sparse.state_dict(), folder / "sparse_linear.pt")
    torch.save(colbert.state_dict(), folder / "colbert_linear.pt")


def _save_tokenizer(folder: Path) -> int:
    """Train and save a tokenizer of the same kind; the number of its tokens."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=600, special_tokens=_SPECIAL, unk_token="<unk>", initial_alphabet=list(_ALPHABET)
    )
    tokenizer.train_from_iterator(_CORPUS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
        model_max_length=512,
        padding_side="right",
        model_input_names=["input_ids", "attention_mask"],
    )
    wrapped.save_pretrained(folder)
    return len(wrapped)


def _make_meaningful(model: Any) -> None:
    """Turn the encoder into a mean over the tokens. The first token itself counts little, so that the others win."""
    import torch

    embeddings = model.embeddings
    embeddings.word_embeddings.weight.copy_(torch.randn(embeddings.word_embeddings.weight.shape))
    embeddings.word_embeddings.weight[: len(_SPECIAL)] = 0.0
    embeddings.word_embeddings.weight[0] = 0.01 * torch.randn(HIDDEN)
    embeddings.position_embeddings.weight.zero_()
    embeddings.token_type_embeddings.weight.zero_()
    for layer in model.encoder.layer:
        attention = layer.attention.self
        zeroed = [attention.query, attention.key, layer.intermediate.dense, layer.output.dense]
        for dense in zeroed:
            dense.weight.zero_()
            dense.bias.zero_()
        for dense, factor in ((attention.value, 8.0), (layer.attention.output.dense, 1.0)):
            dense.weight.copy_(factor * torch.eye(HIDDEN))
            dense.bias.zero_()
