"""Methods that keep several beams: on the target alone, and with drafted beams (dsbd.txt; mtad.txt, section 3.1;
speculative-decoding.txt, appendix A.4)."""

from specviz.decoding.registry.method import Method

BEAM = Method(
    name="beam",
    drafter="none",
    verifier="beam",
    title="Beam sampling",
    family="target",
    paper="the baseline of Dynamic-Width Speculative Beam Decoding for Efficient LLM Inference, section 2",
    summary=(
        "The target keeps several beams and draws each next layer from the joint distribution of beams and tokens. "
        "Nothing is drafted. The most likely beam becomes the text."
    ),
    texts={
        "rule": "Draw W beams, with replacement, from p_beam: P(beam) P(token given beam) over all beams and tokens, "
        "warped once.",
        "draft": "Nothing is drafted.",
        "verify": "The target reads the newest token of every beam in one call and gives the next distributions.",
        "accept": "This continuation is one of the next beams.",
        "reject": "",
        "finish": "A token becomes output once all beams have it; at the end the most likely beam is the text.",
    },
)

MTJD = Method(
    name="mtjd",
    drafter="none",
    verifier="multi-token",
    title="Multi-token joint decoding",
    family="target",
    paper="Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference, section 3.1",
    summary=(
        "The target writes several tokens at a time, drawn from their joint distribution, warped as one, which it "
        "approximates by beams of its own. Nothing is drafted. Likelier text than token by token."
    ),
    texts={
        "rule": "Draw K tokens at once from their joint distribution, warped as one.",
        "draft": "Nothing is drafted.",
        "verify": "The target reads the newest token of every beam of the block in one call.",
        "accept": "This continuation is one of the block's beams.",
        "reject": "",
        "finish": "With the last token of a block, one beam is drawn by its weight and becomes text.",
    },
)

SPECULATIVE_BEAM = Method(
    name="speculative-beam",
    drafter="search-layers",
    verifier="search",
    title="Speculative beam search",
    family="beams",
    paper="Leviathan, Kalman, Matias (2023), Fast Inference from Transformers via Speculative Decoding, appendix A.4",
    summary=(
        "The draft model searches with more beams than are asked for; as long as the target's best are among them, "
        "one target call makes several steps of beam search. The text is that of beam search on the target."
    ),
    shows=("gamma", "beams", "draft_beams", "draft"),
    texts={
        "rule": "A layer passes while the target's best w beams are among the draft's best u.",
        "draft": "The draft model searches u beams, layer by layer.",
        "verify": "One target call scores every drafted beam.",
        "accept": "The target's best were all drafted: the next layer can be judged without another call.",
        "reject": "One of the target's best was not drafted: its own best are kept, and the iteration ends.",
        "finish": "If every layer passes, the same target call gives one more layer.",
    },
)

DSBD = Method(
    name="dsbd",
    drafter="layers",
    verifier="layered",
    title="Dynamic-width beams",
    family="beams",
    paper="Dynamic-Width Speculative Beam Decoding for Efficient LLM Inference",
    summary=(
        "The draft model writes layers of beams; the target accepts as many of each layer as the two models' "
        "agreement allows, so that the beams follow beam sampling on the target, several steps a call."
    ),
    texts={
        "rule": "Accept a drafted beam x with probability min(1, p'(x) / q_beam(x)).",
        "draft": "The draft model draws each layer of beams from q_beam, its joint distribution of beams and tokens.",
        "verify": "One target call scores every drafted beam of the forest; p_beam is the target's joint distribution, "
        "and the layer's width is what is likely to be accepted.",
        "accept": "The beam joins the layer, and p' is p_beam again.",
        "reject": "What the draft proposes too often is taken away: p' becomes norm((p' - q_beam)+).",
        "finish": "A layer that is not full gets one beam from p' and the others from p_beam, and the iteration ends; "
        "if every layer is full, the same target call gives one more from p_beam.",
    },
)
