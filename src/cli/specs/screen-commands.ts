import { type CommandSpec, JSON_OPTION } from './command-spec.js'

/** How screens are read, and whether they still look as they should. */
export const SCREEN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'replay',
    group: 'screens',
    summary: 'what Signalbox would have seen in a recording, moment by moment',
    arguments: [
      { name: 'file', description: 'an asciicast (v2, v3), or terminal bytes with --size', completes: 'file' },
    ],
    options: [
      { flags: '--at <times>', description: 'only the state at these times, in seconds: 3.2,8' },
      { flags: '--at-event <numbers>', description: 'only the state after so many events: 10,20' },
      {
        flags: '--agent <name>',
        description: 'the agent in it (default: recognised by command line, banner or title)',
      },
      { flags: '--agent-version <version>', description: 'its version (default: from its banner)' },
      { flags: '--size <CxR>', description: 'terminal size; needed for raw bytes' },
      { flags: '--all', description: 'every classified frame, not only changes' },
      { flags: '--blocks', description: 'also what the agent says, block by block' },
      { flags: '--markdown', description: 'only what the agent says, as Markdown' },
      { flags: '--explain', description: 'with every line, the rules, regions and menus that decided' },
      JSON_OPTION,
    ],
    details: 'Without a terminal on standard output the lines are JSON, one value each.',
    examples: [
      ['signalbox replay session.cast', 'the time line'],
      ['signalbox replay session.cast --at 5.3 --explain', 'why it was read so at that moment'],
      ['signalbox replay session.cast --markdown > answers.md', 'what the agent said'],
      ['signalbox replay bytes.raw --size 80x24 --agent codex', 'raw terminal output'],
    ],
    load: () => import('../commands/replay.js'),
  },
  {
    name: 'explain',
    group: 'screens',
    summary: 'why Signalbox thinks what it thinks of a pane: reports of the last hour, evidence, rules, regions, menus',
    arguments: [
      {
        name: 'id',
        description: 'the pane: a session’s id or number, or the id or place of a pane in tmux',
        optional: true,
        completes: 'session',
      },
    ],
    options: [
      { flags: '--at <seconds>', description: 'at this time of the recording instead of now' },
      { flags: '--file <cast>', description: 'a recording instead of a session' },
      { flags: '--screen <file>', description: 'a screen as text instead of a session' },
      { flags: '--agent <name>', description: 'with --file or --screen: the agent' },
      { flags: '--agent-version <version>', description: 'with --file or --screen: its version' },
      { flags: '--size <CxR>', description: 'with --file or --screen: terminal size' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox explain 1', 'why this session reads as it does now'],
      ['signalbox explain 1 --at 42.5', 'and at 42.5 seconds'],
      ['signalbox explain main:1.0', 'a pane in tmux: every report of the last hour, and what it changed'],
      ['signalbox explain --file session.cast --at 5.3', 'the same for a recording'],
      ['signalbox explain --screen screen.txt --agent claude', 'a screen that was copied into a file'],
    ],
    load: () => import('../commands/explain.js'),
  },
  {
    name: 'packs',
    group: 'screens',
    summary: 'the files that describe agents’ screens; `packs check` runs their fixtures',
    arguments: [
      { name: 'action', description: 'check: run the fixtures', optional: true, completes: ['check'] },
      { name: 'agent', description: 'only this agent’s', optional: true, completes: 'agent' },
    ],
    options: [JSON_OPTION],
    details:
      'Your own packs lie in <config>/packs/<agent>/*.toml, over those that ship with Signalbox (docs/packs.md).',
    examples: [
      ['signalbox packs', 'every pack, its versions and where it lies'],
      ['signalbox packs check claude', 'replay the fixtures of one pack; exit 1 if one fails'],
    ],
    load: () => import('../commands/packs.js'),
  },
  {
    name: 'drift',
    group: 'screens',
    summary: 'agent versions whose screens no longer look as their packs say',
    options: [JSON_OPTION],
    examples: [['signalbox drift', 'by agent version, with the screens that were kept']],
    load: () => import('../commands/drift.js'),
  },
]
