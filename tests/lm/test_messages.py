"""Prompts of messages: roles, turns and template arguments, and every way in which they are refused."""

import json

import pytest
from tokenizers import Tokenizer
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast

import specviz
from specviz.errors import PromptError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from tests.tiny_pair import write_pair

TEMPLATE = (
    "{% for m in messages %}{% if m['role'] not in ['system', 'user', 'assistant'] %}"
    "{{ raise_exception('no role ' + m['role']) }}{% endif %}[{{ m['role'] }}] {{ m['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% if enable_thinking %} <think>{% endif %}{% endif %}"
)
TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "Why?"},
]
WRITTEN = "[system] Be brief.[user] Hi[assistant] Hello.[user] Why?[assistant]"


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    paths = write_pair(tmp_path_factory.mktemp("talking"))
    file = paths[0] / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"chat_template": TEMPLATE}))
    return load_pair(*paths, device="cpu", chat=False)


def test_messages_go_through_the_template_with_every_turn(pair):
    assert pair.decode(pair.encode(TALK)) == WRITTEN
    assert pair.decode(pair.encode(tuple(TALK))) == WRITTEN
    assert pair.decode(pair.encode(TALK, {"enable_thinking": True})) == WRITTEN + " <think>"
    assert pair.decode(pair.encode(TALK, {"add_generation_prompt": False})) == WRITTEN.removesuffix("[assistant]")


def test_text_takes_template_arguments_where_chat_is_on(pair):
    chatting = ModelPair(pair.target, pair.draft, pair.tokenizer, chat=True)
    assert chatting.decode(chatting.encode("Hi", {"enable_thinking": True})) == "[user] Hi[assistant] <think>"


def test_decode_stream_and_race_take_messages(pair):
    settings = {"max_new_tokens": 3, "template_arguments": {"enable_thinking": True}}
    trace = specviz.decode(pair, "speculative", TALK, **settings)
    assert pair.decode(trace.header.prompt_tokens) == WRITTEN + " <think>" and trace.header.prompt_text is None
    run = specviz.stream(pair, "speculative", TALK, **settings)
    assert [token.token for iteration in run for token in iteration.emitted] == list(trace.tokens)
    lanes = {lane.index: lane for lane, _ in specviz.race(pair, ["speculative", "mcsd"], TALK, **settings)}
    assert [lane.trace().header.prompt_tokens for lane in lanes.values()] == [trace.header.prompt_tokens] * 2
    assert lanes[0].trace().tokens == trace.tokens


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ([{"role": "user"}], "message 1 must have role and content as text, got no content"),
        ([{"content": "a"}], "message 1 must have role and content as text, got no role"),
        ([TALK[0], {"role": "user", "content": 5}], "message 2 must have role and content as text, got content=5"),
        ([{"role": "", "content": "a"}], "message 1 must have role and content as text, got role=''"),
        (
            [TALK[0], 7],
            "message 2 must be a dict with role and content, got 7: a prompt is either messages or token ids",
        ),
        ([7, TALK[0]], "message 1 must be a dict"),
        (TALK[0], "prompt must be text, token ids or a list of messages, got dict"),
        ([{"role": "robot", "content": "a"}], "chat template refuses this prompt: no role robot$"),
    ],
)
def test_wrong_messages_are_refused(pair, prompt, message):
    with pytest.raises(PromptError, match=message) as caught:
        pair.encode(prompt)
    assert caught.value.argument == "prompt"


@pytest.mark.parametrize(
    ("prompt", "arguments", "message"),
    [
        ([1, 2], {"enable_thinking": True}, "for messages and text, the prompt is token ids"),
        ("Hi", {"enable_thinking": True}, "which is off for text: switch chat on, or give messages"),
        (TALK, ["enable_thinking"], "must be a dict of arguments by name, got"),
        (TALK, {"tokenize": True}, "must leave out 'tokenize'"),
    ],
)
def test_wrong_template_arguments_are_refused(pair, prompt, arguments, message):
    with pytest.raises(PromptError, match=message) as caught:
        specviz.decode(pair, "speculative", prompt, max_new_tokens=2, template_arguments=arguments)
    assert caught.value.argument == "template_arguments"


@pytest.mark.parametrize("prompt", ["zzz", [{"role": "user", "content": "zzz"}]])
def test_text_of_which_the_tokenizer_makes_no_token_is_refused(prompt):
    letters = Tokenizer(BPE({letter: token for token, letter in enumerate("abcde")}, []))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=letters, chat_template="{{ messages[0].content }}")
    few = ModelPair(TableLM.random(5, 0), TableLM.random(5, 1), tokenizer)
    assert few.encode("zaz") == (0,)
    with pytest.raises(PromptError, match="prompt is empty: the tokenizer makes no token of this text"):
        specviz.decode(few, "speculative", prompt)


def test_messages_need_a_template_and_a_tokenizer(pair, tmp_path):
    plain = load_pair(*write_pair(tmp_path), device="cpu")
    tables = ModelPair(TableLM.random(5, 0), TableLM.random(5, 1))
    for without, message in ((plain, "has no chat template to write messages with"), (tables, "has no tokenizer")):
        with pytest.raises(PromptError, match=message) as caught:
            without.encode(TALK)
        assert caught.value.code == "missing_part"
