/** What the agents of the living demo do, as scenarios of the demo agent (docs/demo-agent.md), and the graphs that they are led through. */

const AT_WORK_ROUNDS = 40

const atWork = {
  name: 'timetable',
  description: 'works for a long time, a step at a time',
  turns: [
    {
      steps: [
        { say: 'I will rebuild the timetable module by module. First a look at what is there.' },
        {
          todo: {
            items: [
              { text: 'Read the timetable', status: 'done' },
              { text: 'Split it by line', status: 'doing' },
              { text: 'Prove that no train is lost', status: 'open' },
            ],
          },
        },
        ...Array.from({ length: AT_WORK_ROUNDS }, (_, round) => [
          { think: { ms: 9_000, label: 'Working', tokens: 400 + round * 90 } },
          { tool: { name: 'Read', kind: 'read', read: { path: 'src/cart.js' } } },
          { say: `Line ${round + 1} is split off: 12 departures, none lost.` },
        ]).flat(),
      ],
    },
  ],
}

const cleaner = {
  name: 'cleaner',
  description: 'asks to run a command',
  turns: [
    {
      steps: [
        { think: 900 },
        { say: 'The coverage report is stale. I would remove it and run the tests again.' },
        {
          tool: {
            name: 'Shell',
            kind: 'shell',
            command: 'rm -rf coverage && npm test',
            permission: true,
          },
        },
        { say: 'Done: it ended with {{exitCode}}.' },
      ],
    },
  ],
}

const asker = {
  name: 'asker',
  description: 'asks a question',
  turns: [
    {
      steps: [
        { think: 700 },
        {
          ask: {
            title: 'Signal',
            question: 'Which aspect should the distant signal show at night?',
            options: ['Yellow', 'Double yellow', 'Green'],
            freeText: 'Something else',
          },
        },
        { say: '**{{answer}}** it is. I have noted it in the plan.' },
      ],
    },
  ],
}

const usage = (input: number, output: number) => ({
  usage: { input, output, costUsd: Math.round((input * 3 + output * 15) / 10) / 100_000 },
})

/** Headless, for runs: each kind of node has its own way, and simulated prices. */
const crew = {
  name: 'crew',
  description: 'nodes of a graph',
  turns: [],
  otherwise: {
    steps: [{ think: 1_500 }, { say: 'Done: everything is where it should be.' }, usage(6_100, 820)],
  },
}

const crewTurns = [
  {
    match: '/write a plan/i',
    steps: [
      { think: 1_200 },
      { say: '1. Round to whole cents.\n2. Add a test for a discount of a third.\n3. Say so in the change log.' },
      usage(9_400, 1_150),
    ],
  },
  { match: '/soak/i', steps: [{ think: { ms: 900_000, label: 'Watching', tokens: 12_000 } }, { say: 'It held.' }] },
]

export const SCENARIOS: Readonly<Record<string, object>> = {
  'at-work': atWork,
  cleaner,
  asker,
  crew: { ...crew, turns: crewTurns },
}

/** Comes to a node that takes long, after a check that failed once. */
export const IN_THE_MIDDLE = `digraph discount {
  graph [goal="Discounts are rounded to whole cents"]
  start     [shape=Mdiamond]
  analyse   [label="Analyse", prompt="Find where the discount is taken: $goal", permissions=read]
  implement [label="Implement", prompt="Implement: $goal", max_retries=1]
  check     [shape=parallelogram, label="Check", tool_command="test -f .checked || { touch .checked; exit 1; }"]
  soak      [label="Soak test", prompt="Run the soak test and watch it: $goal", permissions=read]
  release   [shape=hexagon, label="Release it?"]
  done      [shape=Msquare]
  start -> analyse -> implement -> check
  check -> soak      [condition="outcome=success"]
  check -> implement [condition="outcome=fail"]
  soak -> release
  release -> done      [label="[R] Release"]
  release -> implement [label="[B] Back to work"]
}
`

/** Waits for a person at its gate. */
export const AT_A_GATE = `digraph changelog {
  graph [goal="Say what changed, in the reader's words"]
  start   [shape=Mdiamond]
  plan    [label="Plan", prompt="Write a plan for: $goal", permissions=read]
  approve [shape=hexagon, label="Approve the plan?", human.kind=plan, prompt="Approve this plan?\\n\\n{response.plan}"]
  write   [label="Write", prompt="Carry out the plan: $goal"]
  done    [shape=Msquare]
  start -> plan -> approve
  approve -> write [label="[A] Approve"]
  approve -> plan  [label="[R] Revise"]
  write -> done
}
`

/** Ends well, soon. */
export const DONE_SOON = `digraph tidy {
  graph [goal="Imports are sorted"]
  start [shape=Mdiamond]
  sort  [label="Sort", prompt="Sort the imports: $goal"]
  look  [label="Look again", prompt="Review what was done: $goal", permissions=read]
  done  [shape=Msquare]
  start -> sort -> look -> done
}
`

/** Fails at its first command. */
export const FAILS = `digraph publish {
  graph [goal="The package is published"]
  start [shape=Mdiamond]
  pack  [shape=parallelogram, label="Pack", tool_command="echo 'registry.example: no route' >&2; exit 7"]
  done  [shape=Msquare]
  start -> pack -> done
}
`
