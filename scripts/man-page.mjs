// dist/man/signalbox.1 from the specs of the commands, as `npm install -g` puts it in place.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const GROUPS = {
  everyday: 'EVERY DAY',
  sessions: 'SESSIONS',
  approvals: 'APPROVALS',
  runs: 'RUNS',
  screens: 'SCREENS',
  setup: 'SET-UP',
}
const FILES = [
  ['config/config.toml', 'settings (signalbox config)'],
  ['data/signalbox.db', 'the event log'],
  ['data/recordings/', 'every byte of each session'],
]

export async function writeManPage(root) {
  const { COMMANDS } = await import(pathToFileURL(join(root, 'dist', 'rooms', 'cli', 'specs', 'index.js')).href)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  mkdirSync(join(root, 'dist', 'man'), { recursive: true })
  writeFileSync(
    join(root, 'dist', 'man', 'signalbox.1'),
    manPage(
      COMMANDS.filter(({ hidden }) => !hidden),
      version,
    ),
  )
}

function manPage(commands, version) {
  const groups = Object.entries(GROUPS).map(([group, title]) =>
    [`.SH ${title}`, ...commands.filter(command => command.group === group).flatMap(commandLines)].join('\n'),
  )
  return `${[
    `.TH SIGNALBOX 1 "" "Signalbox ${version}"`,
    '.SH NAME\nsignalbox \\- coding agents in terminals, approvals and durable workflows',
    '.SH SYNOPSIS\n.B signalbox\n[\\fIcommand\\fR] [\\fIoptions\\fR]',
    ...groups,
    '.SH ENVIRONMENT\n.TP\n.B SIGNALBOX_HOME\nthe home directory; default: the XDG directories',
    `.SH FILES\n${FILES.map(([file, what]) => `.TP\n.I ${text(file)}\n${text(what)}`).join('\n')}`,
  ].join('\n')}\n`
}

function commandLines({ name, aliases = [], summary, arguments: args = [], options = [], rest, details, examples }) {
  const usage = args.map(
    ({ name: word, optional, variadic }) => (optional ? `[${word}]` : word) + (variadic ? '...' : ''),
  )
  return [
    `.SS signalbox ${[name, ...usage, ...(rest ? [rest] : [])].map(text).join(' ')}`,
    `${text(summary[0].toUpperCase() + summary.slice(1))}.`,
    ...(aliases.length > 0 ? [`Also: ${aliases.map(text).join(', ')}.`] : []),
    ...args.flatMap(({ name: word, description }) => ['.TP', `.I ${text(word)}`, text(description)]),
    ...options.flatMap(({ flags, description }) => ['.TP', `.B ${text(flags)}`, text(description)]),
    ...(details ? ['.PP', text(details)] : []),
    ...examples.flatMap(([line, meaning]) => ['.PP', '.nf', `.RS`, `${text(line)}`, '.RE', '.fi', text(meaning)]),
  ]
}

/** Backslashes, hyphens that a reader copies, and lines that would start a request. */
function text(plain) {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
}
