// The reference pages as text, made from the data that the program itself runs on.
import { COMMANDS } from '../src/cli/specs/index.ts'
import { configReference } from '../src/config/index.ts'
import { EXIT } from '../src/errors/index.ts'
import { EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES, NODE_ATTRIBUTES } from '../src/graph/index.ts'
import { openApi, ROUTES } from '../src/server/index.ts'
import { eventsPage } from './docs-events.mjs'
import { cell, page, sentence, table } from './docs-markdown.mjs'
import { tableDrawings, tablesPage } from './docs-tables.mjs'

const GROUPS = {
  everyday: 'Every day',
  sessions: 'Sessions',
  approvals: 'Approvals',
  runs: 'Runs',
  screens: 'Screens',
  setup: 'Set-up',
}
const EXIT_MEANINGS = {
  ok: 'ok',
  failed: 'failed; also: ended without reaching what was waited for, or a decision that came too late',
  usage: 'the command line is wrong, or names something that does not exist',
  rejected: 'rejected or denied',
  needsHuman: 'needs a person, and none is there',
  timeout: 'the time given with `--timeout` is over',
  config: 'the settings, the directories or the store cannot be used',
  programMissing: 'an agent or another program is not installed, or not signed in',
  interrupted: 'interrupted',
}

/** The files of the reference, by path below `docs/`, and the flags of each command. */
export async function loadReference() {
  const files = {
    'reference/cli.md': cliPage(COMMANDS),
    'reference/config.md': configReference(),
    'reference/events.md': eventsPage(),
    'reference/tables.md': tablesPage(),
    'reference/graph-attributes.md': graphAttributesPage(),
    'reference/api.md': apiPage(),
    ...(await tableDrawings()),
  }
  const commands = new Map(
    COMMANDS.flatMap(command =>
      [command.name, ...(command.aliases ?? [])].map(name => [name, new Set(flagsOf(command))]),
    ),
  )
  return { files, commands }
}

const STEP_UP = { false: '', true: ', step-up', 'by-content': ', step-up for some changes' }
const ROLES = { open: 'none', hook: 'hook token', viewer: 'viewer', approver: 'approver', owner: 'owner' }

/**
 * The operations of the API, by what they are about, with what each takes; the whole is in the
 * OpenAPI document.
 */
function apiPage() {
  const { paths } = openApi(ROUTES, '')
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => operation.tags[0]))].sort()
  const sections = tags.map(tag => {
    const rows = operations
      .filter(({ operation }) => operation.tags[0] === tag)
      .map(({ path, method, operation }) => {
        const role = ROLES[operation['x-role']] + STEP_UP[operation['x-step-up'] ?? false]
        return `| \`${method} ${path}\` | ${role} | ${cell(operation.summary)} | ${cell(takenBy(operation))} |`
      })
    return `## ${tag}\n\n| operation | role | does | takes |\n|---|---|---|---|\n${rows.join('\n')}`
  })
  return page(
    'API',
    'src/server/routes/',
    'Every operation over HTTP. [The server and its API](../guides/server.md) says how to get in; `GET /api/v1/openapi.json` has the schemas of all requests and answers.',
    ...sections,
  )
}

function takenBy({ parameters, requestBody }) {
  const query = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => `\`?${name}\``)
  const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
  const fields = new Set(schemas.flatMap(schema => [schema, ...(schema.anyOf ?? [])]).flatMap(bodyFields))
  return [...query, ...[...fields].map(name => `\`${name}\``)].join(' ')
}

function bodyFields({ properties = {}, required = [] }) {
  return Object.keys(properties).map(name => (required.includes(name) ? name : `${name}?`))
}

// — the command line —

function cliPage(commands) {
  const parts = [
    'One program, `signalbox`. Without a command it opens the cockpit (`signalbox watch`), or prints `signalbox status` where there is no terminal. Every command that prints data takes `--json`. Sessions, requests and runs are named by id or a unique prefix of it; sessions also by number. Questions are asked only in a terminal; `NO_COLOR` is respected; `SIGNALBOX_DEBUG=1` adds the stack to an error.',
    `## Exit codes\n\n${table(
      ['code', 'meaning'],
      Object.entries(EXIT).map(([name, code]) => [String(code), EXIT_MEANINGS[name] ?? name]),
    )}\n\n\`signalbox start --wait\` exits with the code of its program instead, or 128 and the number of the signal that ended it.`,
  ]
  for (const [group, title] of Object.entries(GROUPS)) {
    const members = commands.filter(command => command.group === group && !command.hidden)
    parts.push(`## ${title}`, ...members.map(commandSection))
  }
  return page('The command line', 'src/cli/specs/index.ts', ...parts)
}

function commandSection(command) {
  const { name, aliases = [], summary, details, examples, rest, arguments: args = [], options = [] } = command
  const words = args.map(argument => (argument.optional ? `[${argument.name}]` : `<${argument.name}>`))
  const usage = [
    'signalbox',
    name,
    ...(options.length > 0 ? ['[options]'] : []),
    ...words,
    ...(rest ? [rest] : []),
  ].join(' ')
  const rows = [
    ...args.map(argument => [`\`${argument.name}\``, cell(argument.description)]),
    ...options.map(option => [`\`${cell(option.flags)}\``, cell(describeOption(option))]),
  ]
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, meaning]) => `${line.padEnd(width)}  # ${meaning}`)
  return [
    `### ${name}`,
    `${sentence(summary)}${details ? ` ${details}` : ''}${aliases.map(alias => ` Also: \`signalbox ${alias}\`.`).join('')}`,
    `\`\`\`\n${usage}\n\`\`\``,
    ...(rows.length > 0 ? [table(['', ''], rows)] : []),
    `\`\`\`sh\n${lines.join('\n')}\n\`\`\``,
  ].join('\n\n')
}

function describeOption({ description, choices }) {
  return choices ? `${description}: ${choices.map(choice => `\`${choice}\``).join(', ')}` : description
}

function flagsOf({ options = [] }) {
  return ['-h', '--help', ...options.flatMap(option => option.flags.split(/,\s*/).map(flag => flag.split(' ')[0]))]
}

// — attributes of graphs —

function graphAttributesPage() {
  const rows = attributes =>
    Object.entries(attributes).map(([name, { type, aliases = [], default: standard, description }]) => [
      `\`${name}\`${aliases.map(alias => `, \`${alias}\``).join('')}`,
      typeName(type),
      standard ? `\`${standard}\`` : '',
      cell(description),
    ])
  const section = (title, attributes) =>
    `## ${title}\n\n${table(['attribute', 'value', 'default', ''], rows(attributes))}`
  return page(
    'Attributes of graphs',
    'src/graph/attribute-table.ts',
    'The attributes of a workflow in DOT. Other names are kept and ignored; `signalbox validate --all` lists them. `signalbox run`, and `validate --agent`, warn about attributes that an agent does not offer. The guide is [Workflows as graphs](../guides/graphs.md).',
    section('Graph', GRAPH_ATTRIBUTES),
    section('Node', NODE_ATTRIBUTES),
    section('Edge', EDGE_ATTRIBUTES),
  )
}

function typeName(type) {
  if (type.is === 'one-of') return type.of.map(word => `\`${word}\``).join(' · ')
  if (type.is === 'names') return 'names, separated by commas or blanks'
  if (type.is === 'duration') return 'time, such as `90s` or `5m`'
  if (type.is === 'integer' || type.is === 'number') {
    const least = type.min === undefined ? '' : ` ≥ ${type.min}`
    return `${type.is === 'integer' ? 'whole number' : 'number'}${least}${type.max === undefined ? '' : `, ≤ ${type.max}`}`
  }
  return { text: 'text', boolean: '`true` · `false`', node: 'node', condition: 'condition', fidelity: 'fidelity' }[
    type.is
  ]
}
