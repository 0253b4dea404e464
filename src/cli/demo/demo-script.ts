/** Scenarios of the demo agents (docs/demo-agent.md), and the graphs of the demo runs. */

const AT_WORK_ROUNDS = 200

/** Simulated prices. */
const usage = (input: number, output: number) => ({
  usage: { input, output, costUsd: Math.round((input * 3 + output * 15) / 10) / 100_000 },
})

/** A short step of long work: its context was read before, which is cheap, and fits the window. */
const cachedUsage = (round: number) => ({
  usage: { input: 21_000 + round * 800, output: 120, costUsd: 0.0005, contextWindow: 200_000 },
})

const atWork = {
  name: 'timetable',
  description: 'works for a long time, a step at a time',
  turns: [
    {
      steps: [
        { say: 'I will rebuild the timetable module by module. First I read what is there.' },
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
          cachedUsage(round),
        ]).flat(),
      ],
    },
  ],
}

/** Starts subagents, and fills its context window. */
const leader = {
  name: 'survey',
  description: 'lets sub-agents work for it',
  turns: [
    {
      steps: [
        { think: 800 },
        { say: 'Four lines, 212 signals. Subagents check each line, and I combine their findings.' },
        { usage: { input: 131_400, output: 2_650, costUsd: 0.43, contextWindow: 200_000, model: 'demo-large' } },
        {
          agents: {
            agents: [
              { name: 'North line', task: 'Check 48 signals against the plan', ms: 25_000, tokens: 9_400 },
              { name: 'South line', task: 'Check 61 signals against the plan', ms: 4_500_000, tokens: 88_000 },
              { name: 'Harbour', task: 'Check 77 signals against the plan', ms: 5_100_000, tokens: 120_000 },
              {
                name: 'Sight lines',
                task: 'Look for signals that a driver sees too late',
                ms: 4_800_000,
                tokens: 64_000,
                of: 'Harbour',
              },
            ],
          },
        },
        { say: 'All lines are checked: two signals are in the wrong place.' },
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

/** Without a terminal, for the nodes of runs; with simulated prices. */
const graphNodes = {
  name: 'graph-nodes',
  description: 'nodes of a graph',
  turns: [],
  otherwise: {
    steps: [{ think: 1_500 }, { say: 'Done: everything is where it should be.' }, usage(6_100, 820)],
  },
}

const SOAK_ROUNDS = 90

/** Prints regularly: a node that is silent for minutes counts as stuck. */
const soakRound = (_: unknown, round: number) => [
  { think: { ms: 20_000, label: 'Watching', tokens: 400 } },
  { say: `${round + 1} of ${SOAK_ROUNDS}: 1 200 orders, no cent lost.` },
]

const graphNodeTurns = [
  {
    match: '/write a plan/i',
    steps: [
      { think: 1_200 },
      { say: '1. Round to whole cents.\n2. Add a test for a discount of a third.\n3. Say so in the change log.' },
      usage(9_400, 1_150),
    ],
  },
  { match: '/soak/i', steps: [...Array.from({ length: SOAK_ROUNDS }, soakRound).flat(), { say: 'It held.' }] },
]

export const SCENARIOS: Readonly<Record<string, object>> = {
  'at-work': atWork,
  leader,
  cleaner,
  asker,
  'graph-nodes': { ...graphNodes, turns: graphNodeTurns },
}

/** Reaches a long-running node after a check that failed once. */
export const IN_THE_MIDDLE = `digraph discount {
  graph [goal="Round discounts to whole cents"]
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

export const AT_A_GATE = `digraph changelog {
  graph [goal="Write the change log"]
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

/** Completes quickly. */
export const DONE_SOON = `digraph tidy {
  graph [goal="Sort the imports"]
  start [shape=Mdiamond]
  sort  [label="Sort", prompt="Sort the imports: $goal"]
  look  [label="Look again", prompt="Review what was done: $goal", permissions=read]
  done  [shape=Msquare]
  start -> sort -> look -> done
}
`

/** Fails at its first command. */
export const FAILS = `digraph publish {
  graph [goal="Publish the package"]
  start [shape=Mdiamond]
  pack  [shape=parallelogram, label="Pack", tool_command="echo 'registry.example: no route' >&2; exit 7"]
  done  [shape=Msquare]
  start -> pack -> done
}
`
