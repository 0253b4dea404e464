import { type CommandSpec, JSON_OPTION, RUN_ARGUMENT } from './command-spec.js'

const HANDLERS_OPTION = {
  flags: '--handlers <file>',
  description: 'a module of your own with handlers, rules and transforms; it runs in this process',
}
const TRUST_OPTION = {
  flags: '--trust <hash>',
  description: 'let the files of this hash run: those that you have seen, for places without a terminal',
}
const NO_ASK_OPTION = {
  flags: '--no-ask',
  description: 'ask no gate at this terminal; the run waits, and the exit code is 4',
}

/** Commands about workflows in DOT. */
export const GRAPH_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    group: 'runs',
    summary: 'run a workflow in DOT, node by node',
    arguments: [{ name: 'file', description: 'the DOT file', completes: 'file' }],
    options: [
      { flags: '--input <key=value>', description: 'a value the graph asks for', repeatable: true },
      { flags: '--goal <text>', description: 'instead of the graph’s own goal' },
      { flags: '--agent <name>', description: 'agent of nodes that name none' },
      { flags: '--model <name>', description: 'model of nodes that name none' },
      {
        flags: '--permissions <level>',
        description: 'what agents may do unasked',
        choices: ['read', 'ask', 'edits', 'all'],
      },
      { flags: '--max-cost <usd>', description: 'pause when so much is spent' },
      { flags: '--max-tokens <n>', description: 'pause when so many tokens are used' },
      { flags: '--max-time <time>', description: 'pause after so long' },
      { flags: '--auto-approve', description: 'take the first option at every gate; on record as such' },
      {
        flags: '--dry-run [script]',
        description: 'no agent, no command: simulated outcomes, by a JSON script where given',
      },
      HANDLERS_OPTION,
      TRUST_OPTION,
      { flags: '--detach', description: 'let the daemon drive it' },
      NO_ASK_OPTION,
      { flags: '--label <key=value>', description: 'kept with the run; may be given again', repeatable: true },
      { flags: '--checkpoint-dir <dir>', description: 'write checkpoint_<ms>.json files there when the run rests' },
      JSON_OPTION,
    ],
    details:
      'In a git repository the run works in a worktree and on a branch of its own, with a commit for each node that changed something.',
    examples: [
      ['signalbox run flow.dot --agent demo', 'every agent node by the scripted agent'],
      ['signalbox run flow.dot --dry-run', 'which way it would go'],
      ['signalbox run flow.dot --input ticket=42 --detach', 'in the background'],
    ],
    load: () => import('../commands/run.js'),
  },
  {
    name: 'validate',
    group: 'runs',
    summary: 'what is wrong with a workflow in DOT, with places and fixes',
    arguments: [{ name: 'file', description: 'the DOT file; `-` reads standard input', completes: 'file' }],
    options: [
      { flags: '--strict', description: 'any finding is a failure' },
      { flags: '--all', description: 'notes, too' },
      HANDLERS_OPTION,
      JSON_OPTION,
    ],
    examples: [['signalbox validate flow.dot', 'every problem as file:line:column, with its rule and a fix']],
    load: () => import('../commands/validate.js'),
  },
  {
    name: 'graph',
    group: 'runs',
    summary: 'draw a workflow, or a run of one coloured by what happened',
    arguments: [{ name: 'source', description: 'a DOT file, a run’s id, or latest', completes: 'file' }],
    options: [
      {
        flags: '-o, --output <file>',
        description: 'where to: .svg, .dot or .md (default: a table on standard output)',
      },
      { flags: '--format <format>', description: 'instead of the file’s ending', choices: ['svg', 'dot', 'md'] },
    ],
    examples: [
      ['signalbox graph flow.dot -o flow.svg', 'laid out by Graphviz'],
      ['signalbox graph latest -o run.svg', 'the newest run of this directory'],
    ],
    load: () => import('../commands/graph.js'),
  },
  {
    name: 'trust',
    group: 'runs',
    summary: 'which files of which projects may run; let more, or take it back',
    arguments: [
      {
        name: 'file',
        description: 'a DOT file of the project, or its directory; none lists what is trusted',
        optional: true,
        completes: 'file',
      },
    ],
    options: [
      { flags: '--hash <hash>', description: 'let the files of this hash run without being asked' },
      { flags: '--remove', description: 'take it back for the whole project of the file' },
      JSON_OPTION,
    ],
    details:
      'A workflow runs commands as you. So the DOT file, what it names and the project’s settings are let run once, as they are; what changes is asked about again, with the difference. Of a directory: what its project has started for agents that work there.',
    examples: [
      ['signalbox trust flow.dot', 'shows the files and asks; without a terminal, prints their hash'],
      ['signalbox trust .', 'what implement and review would ask about in this project'],
      ['signalbox trust flow.dot --remove', 'nothing of the project runs unasked any more'],
    ],
    load: () => import('../commands/trust.js'),
  },
  {
    name: 'fork',
    group: 'runs',
    summary: 'a new run from a checkpoint of an old one',
    arguments: [RUN_ARGUMENT],
    options: [
      { flags: '--at <node>', description: 'after this node: its last visit, or node@visit' },
      { flags: '--rewind', description: 'archive the old run' },
      { flags: '--no-run', description: 'make it, and leave it queued' },
      NO_ASK_OPTION,
      JSON_OPTION,
    ],
    examples: [['signalbox fork latest --at plan@1', 'everything after the plan happens again']],
    load: () => import('../commands/fork.js'),
  },
  {
    name: 'conformance',
    group: 'runs',
    summary: 'parse, validate, run or list-handlers as JSON, for outside test suites',
    arguments: [
      {
        name: 'action',
        description: 'parse, validate, run or list-handlers',
        completes: ['parse', 'validate', 'run', 'list-handlers'],
      },
      { name: 'file', description: 'the DOT file', optional: true, completes: 'file' },
    ],
    options: [{ flags: '--script <json>', description: 'with run: outcomes by node or node@visit' }],
    examples: [['signalbox conformance run flow.dot', 'a simulated run: status, context, nodes']],
    hidden: true,
    load: () => import('../commands/conformance.js'),
  },
]
