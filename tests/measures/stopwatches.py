"""The stopwatches of the page benchmark: JavaScript that runs in the page and leaves its numbers on ``window``."""

STEPS = """() => {
  const player = document.querySelector('#sv-microscope .sv-player');
  window.bench = { steps: [] };
  player.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowRight') return;
    const before = player.dataset.scene;
    let frames = 0;
    const { port1: painted, port2: frame } = new MessageChannel();
    painted.onmessage = () => window.bench.steps.push(performance.now() - event.timeStamp);
    const look = () => {
      frames += 1;
      const shown = player.dataset.scene !== before && !player.querySelector('.sv-plot.drawing');
      if (shown) frame.postMessage(null); // heard once this frame has been laid out and painted
      else if (frames < 600) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, true);
}"""
"""bench.steps: milliseconds from each right arrow until the first frame that shows the new scene has been painted."""

USABLE = """(() => {
  const look = () => {
    const lanes = [...document.querySelectorAll('#sv-race .sv-lane')];
    const run = document.querySelector('#sv-race .sv-form .sv-run');
    const drawn = lanes.length > 1 && lanes.every((lane) => lane.querySelector('.sv-text .sv-token'));
    if (run && !run.disabled && drawn)
      window.benchUsable = performance.now() - performance.getEntriesByType('navigation')[0].responseStart;
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""
"""benchUsable: milliseconds from the first byte of the page to the recorded race with its Run button."""

FIRST = """() => {
  let started = 0;
  let old = null;
  document.querySelector('#sv-race .sv-form .sv-run').addEventListener('click', (event) => {
    started = event.timeStamp;
    old = window.specviz.latest('race')?.run;
  }, true);
  window.specviz.subscribe('race', (race) => {
    if (!started || race.run === old || !race.lanes.some((lane) => lane && lane.tokens.length)) return;
    const since = started;
    started = 0;
    requestAnimationFrame(() => requestAnimationFrame(() => { window.benchFirst = performance.now() - since; }));
  });
}"""
"""benchFirst: milliseconds from the click on Run to the second frame after the first picture that has a token."""

MOTION = """() => {
  window.benchFrames = [];
  const look = (now) => {
    window.benchFrames.push(now);
    if (document.querySelector('.sv-replay').classList.contains('replayed')) requestAnimationFrame(look);
    else window.benchPlayed = true;
  };
  document.querySelector('.sv-play').addEventListener('click', () => requestAnimationFrame(look));
}"""
"""benchFrames: when each frame of a race in slow motion was drawn, milliseconds; benchPlayed: it is over."""

STREAM = """() => {
  window.specviz.subscribe('race', (race) => {
    const bench = window.benchStream;
    if (!bench || !race.update) return;
    bench.updates.push(race.update);
    const decks = document.querySelectorAll('#sv-race .sv-lane');
    race.lanes.forEach((lane, index) => {
      if (!lane) return;
      const told = lane.tokens.map((token) => token[2]);
      const tokens = [...decks[index].querySelectorAll('.sv-text .sv-token:not(.pending)')];
      const drawn = tokens.map((one) => Number(one.dataset.iteration));
      const ordered = told.every((iteration, at) => at === 0 || iteration >= told[at - 1]);
      const complete = new Set(told).size === lane.iterations;
      if (drawn.join() !== told.join() || !ordered || !complete) bench.wrong += 1;
    });
    if (race.state === 'finished') bench.iterations = race.lanes.map((lane) => lane.iterations);
  });
}"""
"""benchStream: the numbers of the updates that came; how often a lane's drawn tokens were not those told, in the order
of their iterations with none left out; each lane's iterations at the end."""
