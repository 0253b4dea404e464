import { type CommandSpecs, JSON_OPTION } from './command-spec.js'

/** How Signalbox reads screens, and whether that still works. */
export const SCREEN_COMMANDS = {
  replay: {
    group: 'screens',
    summary: 'show how Signalbox reads a recording over time',
    arguments: [
      {
        name: 'file',
        description: 'an asciicast (v2, v3), terminal bytes with --size, or a session: its id or number',
        completes: 'file',
      },
    ],
    options: [
      { flags: '--at <times>', description: 'only the state at these times, in seconds: 3.2,8' },
      { flags: '--at-event <numbers>', description: 'only the state after these numbers of events: 10,20' },
      {
        flags: '--agent <agent>',
        description: 'the agent (default: detected from command line, banner or title)',
      },
      { flags: '--agent-version <version>', description: 'version of the agent (default: from its banner)' },
      { flags: '--size <CxR>', description: 'terminal size; required for raw bytes' },
      { flags: '--all', description: 'every classified frame, not only changes' },
      { flags: '--blocks', description: 'also the agent’s messages, block by block' },
      { flags: '--markdown', description: 'only the agent’s messages, as Markdown' },
      { flags: '--explain', description: 'with every line: the rules, regions and menus behind it' },
      JSON_OPTION,
    ],
    details: 'If standard output is not a terminal, the lines are JSON, one value each.',
    examples: [
      ['signalbox replay session.cast', 'the time line'],
      ['signalbox replay session.cast --at 5.3 --explain', 'why it was read that way at 5.3 s'],
      ['signalbox replay session.cast --markdown > answers.md', 'the agent’s messages'],
      ['signalbox replay bytes.raw --size 80x24 --agent codex', 'raw terminal output'],
    ],
  },
  explain: {
    group: 'screens',
    summary: 'explain the status of a pane: reports, evidence, rules, regions, menus',
    arguments: [
      {
        name: 'id',
        description: 'the pane: a session’s id or number, or the id or target (such as main:1.0) of a tmux pane',
        optional: true,
        completes: 'session',
      },
    ],
    options: [
      { flags: '--at <seconds>', description: 'at this time of the recording instead of now' },
      { flags: '--file <cast>', description: 'a recording instead of a session' },
      { flags: '--screen <file>', description: 'a screen as text instead of a session' },
      { flags: '--agent <agent>', description: 'with --file or --screen: the agent' },
      { flags: '--agent-version <version>', description: 'with --file or --screen: version of the agent' },
      { flags: '--size <CxR>', description: 'with --file or --screen: terminal size' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox explain 1', 'why session 1 has its status now'],
      ['signalbox explain 1 --at 42.5', 'and at 42.5 seconds'],
      ['signalbox explain main:1.0', 'a tmux pane: every report of the last hour, and its effect'],
      ['signalbox explain --file session.cast --at 5.3', 'the same for a recording'],
      ['signalbox explain --screen screen.txt --agent claude', 'a screen saved as text'],
    ],
  },
  packs: {
    group: 'screens',
    summary: 'the packs that describe agents’ screens: list, check, install, remove, learn',
    arguments: [
      {
        name: 'action',
        description: 'check: run the fixtures; install, remove: packs from elsewhere; learn: propose a pack',
        optional: true,
        completes: ['check', 'install', 'remove', 'learn'],
      },
      {
        name: 'agent',
        description: 'only this agent’s packs; for install, a pack file or a git address',
        optional: true,
        completes: 'agent',
      },
      {
        name: 'recordings',
        description: 'for learn: recordings or directories of them (default: this agent’s recorded sessions)',
        optional: true,
        variadic: true,
        completes: 'file',
      },
    ],
    options: [
      { flags: '--sha256 <hash>', description: 'install only a file with this hash' },
      { flags: '--transcript <file>', description: 'learn: the agent’s own transcript of that one recording' },
      { flags: '--yes', description: 'install or accept without asking; required without a terminal' },
      JSON_OPTION,
    ],
    details:
      'Your own packs are <config>/packs/<agent>/*.toml; they extend the shipped ones (docs/packs.md). An installed ' +
      'pack is a file there, too, recorded with its source and hash. From git only the pack file is read. learn compares what the agent wrote ' +
      'into its transcript (NAME.jsonl beside NAME.cast), or labelled moments (NAME.json), with what Signalbox reads, ' +
      'and proposes marks and rules that correct the difference and break nothing.',
    examples: [
      ['signalbox packs', 'every pack, its versions and its file'],
      ['signalbox packs check claude', 'run the fixtures of one agent; exit 1 if one fails'],
      ['signalbox packs install ./crush.toml', 'show what it contains, ask, install it'],
      ['signalbox packs install https://example.com/packs.git#main:crush.toml', 'the same from a git repository'],
      ['signalbox packs remove crush', 'remove the installed packs of an agent'],
      ['signalbox packs learn goose ./recordings', 'propose a pack; shows a diff and asks'],
    ],
  },
  drift: {
    group: 'screens',
    summary: 'list agent versions whose screens no longer match their packs',
    options: [JSON_OPTION],
    examples: [['signalbox drift', 'by agent version, with saved screens']],
  },
} as const satisfies CommandSpecs
