import { type CommandSpecs, JSON_OPTION, PLACEMENT_OPTIONS, SANDBOX_OPTIONS } from './command-spec.js'

const HANDLERS_OPTION = {
  flags: '--handlers <file>',
  description: 'your own module: handlers, functions, rules, transforms, an interviewer; it runs in this process',
} as const
const TRUST_OPTION = {
  flags: '--trust <hash>',
  description: 'trust the files with this hash, for use without a terminal',
} as const
const ANSWERS_OPTION = {
  flags: '--answers <file>',
  description: 'answers to the gates, as JSON: a list in order, or by node; a gate without one stays open',
} as const
const NO_ASK_OPTION = {
  flags: '--no-ask',
  description: 'do not ask gates in this terminal; the run waits, and the exit code is 4',
} as const

/** Workflows in DOT. */
export const GRAPH_COMMANDS = {
  run: {
    group: 'runs',
    summary: 'run a workflow in DOT',
    arguments: [{ name: 'file', description: 'the DOT file, or a pipeline of the project', completes: 'file' }],
    options: [
      { flags: '--input <key=value>', description: 'an input of the graph; repeatable', repeatable: true },
      { flags: '--goal <text>', description: 'instead of the graph’s own goal' },
      { flags: '--agent <agent>', description: 'agent of nodes that name none' },
      { flags: '--model <name>', description: 'model of nodes that name none' },
      {
        flags: '--permissions <level>',
        description: 'what agents may do without asking',
        choices: ['read', 'ask', 'edits', 'all'],
      },
      { flags: '--endpoint <url>', description: 'URL of the model for the agent direct' },
      { flags: '--api-key-env <name>', description: 'environment variable with the key for --endpoint' },
      { flags: '--max-cost <usd>', description: 'pause when this much is spent' },
      { flags: '--max-tokens <n>', description: 'pause when this many tokens are used' },
      { flags: '--max-time <time>', description: 'pause after this long' },
      { flags: '--auto-approve', description: 'take the first option at every gate; recorded as automatic' },
      {
        flags: '--dry-run [script]',
        description: 'simulate: no agent, no command; a JSON script may set outcomes',
      },
      HANDLERS_OPTION,
      TRUST_OPTION,
      { flags: '--detach', description: 'return at once: the daemon runs it in the background' },
      ...SANDBOX_OPTIONS,
      ...PLACEMENT_OPTIONS,
      NO_ASK_OPTION,
      { flags: '--label <key=value>', description: 'stored with the run; repeatable', repeatable: true },
      ANSWERS_OPTION,
      { flags: '--checkpoint-dir <dir>', description: 'write checkpoint_<ms>.json there after each node' },
      JSON_OPTION,
    ],
    details:
      'In a git repository the run works in a new worktree and on a new branch, with a commit for each node that changed ' +
      'something.',
    examples: [
      ['signalbox run flow.dot --agent demo', 'with the scripted agent'],
      ['signalbox run flow.dot --dry-run', 'which path it would take'],
      ['signalbox run flow.dot --input ticket=42 --detach', 'in the background'],
    ],
  },
  validate: {
    group: 'runs',
    summary: 'check a workflow in DOT for errors',
    arguments: [{ name: 'file', description: 'the DOT file; - reads standard input', completes: 'file' }],
    options: [
      { flags: '--strict', description: 'fail on any finding' },
      { flags: '--all', description: 'also print notes' },
      { flags: '--agent <agent>', description: 'also check what this agent, and those that nodes name, offer' },
      HANDLERS_OPTION,
      TRUST_OPTION,
      JSON_OPTION,
    ],
    examples: [['signalbox validate flow.dot', 'every problem as file:line:column, with its rule and a fix']],
  },
  graph: {
    group: 'runs',
    summary: 'draw a workflow, or a run of one coloured by outcome',
    arguments: [{ name: 'source', description: 'a DOT file, a run’s id, or latest', completes: 'file' }],
    options: [
      {
        flags: '-o, --output <file>',
        description: 'target: .svg, .dot or .md (default: a table on standard output)',
      },
      { flags: '--format <format>', description: 'instead of the file’s extension', choices: ['svg', 'dot', 'md'] },
    ],
    examples: [
      ['signalbox graph flow.dot -o flow.svg', 'laid out by Graphviz'],
      ['signalbox graph latest -o run.svg', 'the newest run of this directory'],
    ],
  },
  trust: {
    group: 'runs',
    summary: 'list trusted projects; trust or distrust the files of one',
    arguments: [
      {
        name: 'file',
        description: 'a DOT file of the project, or its directory; without one: list trusted projects',
        optional: true,
        completes: 'file',
      },
    ],
    options: [
      { flags: '--hash <hash>', description: 'trust the files with this hash without asking' },
      { flags: '--remove', description: 'revoke trust in the whole project' },
      JSON_OPTION,
    ],
    details:
      'A workflow runs commands as you. You trust the DOT file, the files it names and the project’s settings once, as ' +
      'they are; Signalbox asks again when one changes, and shows the difference. For a directory: the files that agents ' +
      'would obey there.',
    examples: [
      ['signalbox trust flow.dot', 'show the files and ask; without a terminal, print their hash'],
      ['signalbox trust .', 'what implement and review would ask about in this project'],
      ['signalbox trust flow.dot --remove', 'ask again before anything of the project runs'],
    ],
  },
  fork: {
    group: 'runs',
    summary: 'create a run from a checkpoint of another run, or a session from the conversation of another one',
    arguments: [
      {
        name: 'id',
        description: 'a run’s id (run_…), latest for the newest run here, or a session’s id or number',
      },
    ],
    options: [
      { flags: '--at <node>', description: 'run: continue after this node: its last visit, or node@visit' },
      { flags: '--rewind', description: 'run: archive the old run' },
      { flags: '--no-run', description: 'run: create it, and leave it queued' },
      NO_ASK_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['signalbox fork latest --at plan@1', 'repeat everything after the plan'],
      ['signalbox fork 3', 'a second session that knows what session 3 knows'],
    ],
  },
  conformance: {
    group: 'runs',
    summary: 'parse, validate, run or list-handlers as JSON, for external test suites',
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
  },
} as const satisfies CommandSpecs
