"""Short texts of the project's own, each with a summary in one sentence."""

TEXTS: tuple[tuple[str, str], ...] = (
    (
        "The bridge over the Lenne was built in 1911 for carts and cattle. Since the paper mill opened, forty "
        "lorries cross it every day, and in March an engineer found cracks in two of its arches. Lorries must now "
        "take the road through Altfeld, which is eleven kilometers longer. The council wants to repair the arches "
        "next summer.",
        "The old bridge over the Lenne has cracks, so lorries must make a detour until it is repaired next summer.",
    ),
    (
        "For six years Maria Held kept bees on the roof of the town library. Visitors could watch the hives through"
        " a window on the third floor and buy honey at the desk. When the roof began to leak this winter, the hives"
        " were carried to the garden of the school nearby. The children already have names for all five queens.",
        "The bees on the roof of the library have moved to the school garden because the roof leaked.",
    ),
    (
        "Most birds that leave in autumn fly by night. The air is cooler then and calmer, and hawks are asleep. "
        "They find their way by the stars, and where clouds hide these, they sense the magnetic field of the earth."
        " By day they rest and eat, often in the same fields year after year.",
        "Most migrating birds fly at night, guided by the stars and the magnetic field of the earth, and rest by day.",
    ),
    (
        "The ferry to the island has run on diesel since 1974. From May on a new one will take its place that runs "
        "on batteries. It carries twice as many passengers, makes hardly any noise, and is charged while people get"
        " on and off. A ticket will cost fifty cents more. The old ferry becomes a café in the harbor.",
        "From May a larger and quiet electric ferry replaces the old diesel one to the island.",
    ),
    (
        "Bread gets hard not because it dries but because its starch slowly forms crystals. This is fastest at the "
        "temperature of a refrigerator, where bread is stale within a day. In a freezer the starch cannot move and "
        "the bread stays as it was. Warmth melts the crystals, so an old slice is soft again after toasting.",
        "Bread goes stale because its starch crystallizes, which is fastest in a refrigerator and undone by warmth.",
    ),
    (
        "Our choir is looking for tenors. We are thirty people between nineteen and eighty and meet every Tuesday "
        "at seven in the hall behind the church. Nobody has to read music, and nobody has to sing alone. In "
        "December we give two concerts. Whoever is curious may come three times before deciding.",
        "The choir looks for tenors, who need no experience and may try three rehearsals first.",
    ),
    (
        "In the year 79 the volcano Vesuvius buried the town of Pompeii under ash within two days. Because the ash "
        "kept out air and water, walls, paintings and even loaves of bread lasted for centuries. Since digging "
        "began in 1748 two thirds of the town have been uncovered, and it has taught us how people lived in a Roman"
        " town.",
        "Volcanic ash buried Pompeii in the year 79 and preserved it, so that we know how people lived in a Roman "
        "town.",
    ),
    (
        "The printer in room 12 stopped working on Monday. Two of us tried a new cartridge, another cable and "
        "another computer, and nothing helped. The repair service says that a part inside is broken which is no "
        "longer made. Until a new printer comes, in about two weeks, please use the one in room 15.",
        "The printer in room 12 cannot be repaired; use the one in room 15 until a new one comes in two weeks.",
    ),
    (
        "Nina had trained for the marathon for a year. At kilometer thirty she saw an old man who had fallen beside"
        " the road. She stopped, held his hand and waited for the ambulance, while hundreds ran past. She reached "
        "the goal forty minutes later than planned. The man's daughter was there with flowers.",
        "Nina stopped in the middle of her marathon to help an old man who had fallen, and finished late.",
    ),
    (
        "Tea and coffee both contain caffeine, but they act differently. In tea another substance slows the "
        "caffeine down, so that its effect comes later, is weaker and lasts longer. A cup of coffee has about twice"
        " as much of it. Whoever sleeps badly should drink neither after four in the afternoon.",
        "Tea has less caffeine than coffee and acts more slowly, and neither should be drunk late by those who "
        "sleep badly.",
    ),
    (
        "The swimming pool in the north of the town is closed from June to September. Its pipes are sixty years old"
        " and lose nine thousand liters of water a day. New pipes and a new filter cost two million euros, half of "
        "which the state pays. Courses for children take place in the pool of the university meanwhile.",
        "The northern swimming pool is closed until September because its old pipes are replaced.",
    ),
    (
        "Early maps were often drawn with the east at the top, because the sun rises there. Sailors who used the "
        "compass turned their maps to the north, and printers followed them. By 1600 nearly all maps were drawn "
        "this way. There is no other reason for it: a map with the south at the top would be as right.",
        "Maps have the north at the top only because sailors with a compass drew them that way.",
    ),
)
"""Each text and its summary."""
