"""Free pairings: any drafter with any verifier that can judge its drafts."""

from specviz.decoding.registry.method import FreePairing

CUSTOM = FreePairing(
    name="custom",
    drafter="tree",
    verifier="recursive",
    title="Your own pairing",
    family="own",
    paper="any drafter with any verifier of these papers",
    summary=(
        "Choose who drafts and who judges. Whether the text has the target's distribution depends on whether the "
        "judge knows how the drafts were drawn."
    ),
    texts={
        "rule": "The verifier's rule, applied to another method's drafts.",
        "draft": "The chosen drafter proposes.",
        "verify": "One target call reads everything that was drafted.",
        "accept": "The rule accepts this token.",
        "reject": "The rule rejects this token.",
        "finish": "One more token comes from the target, or from what the rejections left of its distribution.",
    },
)
