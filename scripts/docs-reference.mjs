// The reference pages as text, made from the built program: command table, settings, event catalogue and state tables.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './setup.mjs'

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
  agentMissing: 'the agent or program is not installed',
  interrupted: 'interrupted',
}

export async function loadReference() {
  const sources = readSources()
  const { COMMANDS } = await fromDist('cli/specs/index.js')
  const pages = {
    cli: await cliPage(COMMANDS),
    config: await configPage(sources),
    events: await eventsPage(sources),
    tables: await tablesPage(sources),
    'graph-attributes': await graphAttributesPage(),
    api: await apiPage(),
  }
  const commands = new Map(COMMANDS.map(command => [command.name, new Set(flagsOf(command))]))
  return { pages, commands }
}

const ROLES = { open: 'none', hook: 'hook token', viewer: 'viewer', approver: 'approver', owner: 'owner' }

/** The operations of the API, by what they are about, with what each takes; the whole is in the OpenAPI document. */
async function apiPage() {
  const { ROUTES, openApi } = await fromDist('server/index.js')
  const { paths } = openApi(ROUTES, '')
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => operation.tags[0]))].sort()
  const sections = tags.map(tag => {
    const rows = operations
      .filter(({ operation }) => operation.tags[0] === tag)
      .map(({ path, method, operation }) => {
        const role = ROLES[operation['x-role']] + (operation['x-step-up'] ? ', step-up' : '')
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

function fromDist(path) {
  return import(pathToFileURL(join(root, 'dist', path)).href)
}

/** Text of every source that is not a test, by path from src/: what is not mentioned there is not done yet. */
function readSources() {
  const names = readdirSync(join(root, 'src'), { recursive: true }).map(String)
  const wanted = names.filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('testing/'))
  return new Map(wanted.sort().map(name => [name, readFileSync(join(root, 'src', name), 'utf8')]))
}

function page(title, source, ...parts) {
  const note = `This page is generated from \`${source}\` by \`npm run docs\`; do not edit it.`
  return `${[`# ${title}`, note, ...parts].map(part => part.trimEnd()).join('\n\n')}\n`
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function table(head, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

// — the command line —

async function cliPage(commands) {
  const { EXIT } = await fromDist('errors/index.js')
  const parts = [
    'One program, `signalbox`. Without a command it runs `signalbox status`. Every command that prints data takes `--json`. Sessions, requests and runs are named by id or a unique prefix of it; sessions also by number. Questions are asked only in a terminal; `NO_COLOR` is respected; `SIGNALBOX_DEBUG=1` adds the stack to an error.',
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
  const { name, summary, details, examples, rest, arguments: args = [], options = [] } = command
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
    `${sentence(summary)}${details ? ` ${details}` : ''}`,
    `\`\`\`\n${usage}\n\`\`\``,
    ...(rows.length > 0 ? [table(['', ''], rows)] : []),
    `\`\`\`sh\n${lines.join('\n')}\n\`\`\``,
  ].join('\n\n')
}

function describeOption({ description, choices }) {
  return choices ? `${description}: ${choices.map(choice => `\`${choice}\``).join(', ')}` : description
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`
}

function flagsOf({ options = [] }) {
  return ['-h', '--help', ...options.flatMap(option => option.flags.split(/,\s*/).map(flag => flag.split(' ')[0]))]
}

// — settings —

async function configPage(sources) {
  const { configReference, SETTINGS } = await fromDist('config/index.js')
  const used = new Set()
  for (const [name, text] of sources) {
    if (name.startsWith('config/')) continue
    for (const [, key] of text.matchAll(/\bconfig\.([a-z_]+\.[a-z_]+)\b/g)) if (key in SETTINGS) used.add(key)
  }
  // A profile is read as a whole: its keys are named where it is copied.
  const profile = [...sources]
    .filter(([, text]) => /\bconfig\.profiles\b|\breadProfile\b|\brunWish\b/.test(text))
    .map(([, text]) => text)
  for (const key of Object.keys(SETTINGS).filter(key => key.startsWith('profiles.')))
    if (
      profile.some(text => new RegExp(`\\b(?:settings|own|budget)\\b[^\\n]*\\.${key.split('.').at(-1)}\\b`).test(text))
    )
      used.add(key)
  // So are agents and prices, which have names that the person chooses.
  for (const key of Object.keys(SETTINGS).filter(key => /^(agents|prices)\.\*/.test(key))) {
    const [group, , name] = key.split('.')
    const reads = new RegExp(`\\bconfig\\.${group}\\b[\\s\\S]*\\b${name}\\b`)
    if ([...sources].some(([file, text]) => !file.startsWith('config/') && reads.test(text))) used.add(key)
  }
  const readsProject = [...sources].some(([name, code]) => !name.startsWith('config/') && code.includes('projectFile'))
  const text = configReference()
  const section = [
    '## In force',
    '',
    `The schema is that of the whole product. This version acts on ${[...used]
      .sort()
      .map(key => `\`${key}\``)
      .join(', ')}.`,
    `Every other key is checked and shown by \`signalbox config show\`, and nothing reads it yet.${readsProject ? '' : ' The project file `.signalbox.toml` is not read yet either.'}`,
    '',
    '',
  ].join('\n')
  const at = text.indexOf('## ')
  return `${`${text.slice(0, at)}${section}${text.slice(at)}`.trimEnd()}\n`
}

// — events —

async function eventsPage(sources) {
  const { z } = await import('zod')
  const written = new Set(
    [...sources.values()].flatMap(text =>
      [...text.matchAll(/(?:newEvent|record|write)\(\s*'([a-z.-]+)'/g)].map(match => match[1]),
    ),
  )
  const files = [...sources.keys()].filter(name => /^events\/.*-events\.ts$/.test(name))
  const parts = [
    'Everything that happened is an event: one immutable row in a stream, with a version that counts the stream and a position that counts the log. What people see (sessions, approvals) is folded from events. Fields that a newer version added are kept; types this version does not know are passed over.',
    'The same events come over the daemon’s socket as server-sent events: `GET /api/v1/events[?scope=session:<id>][&since=<position>]`.',
  ]
  for (const file of files) {
    const module = await fromDist(file.replace(/\.ts$/, '.js'))
    // Parts of schemas are shared between the files; the events are what has descriptions.
    const definitions = Object.values(module).find(value =>
      Object.values(value).every(event => event?.description && event.data),
    )
    const stream = /\/\*\* (In streams? .*?) \*\//.exec(sources.get(file))?.[1] ?? ''
    const rows = Object.entries(definitions).map(([type, { description, data }]) => [
      `\`${type}\`${written.has(type) ? '' : ' ¹'}`,
      cell(description),
      fieldsOf(z.toJSONSchema(data, { io: 'input', unrepresentable: 'any' })) || '–',
    ])
    parts.push(
      `## ${sentence(file.replace(/^events\/(.*)-events\.ts$/, '$1')).replace('.', '')} events\n\n${stream}\n\n${table(['type', 'means', 'data'], rows)}`,
    )
  }
  parts.push('¹ in the catalogue, not written by this version.')
  return page('Events', 'src/events/', ...parts)
}

/** The fields of a schema, `?` behind those that may be absent; objects are named by their fields, one level deep. */
function fieldsOf({ properties = {}, required = [] }, isNested = false) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const inner = schema.properties && !isNested ? ` {${fieldsOf(schema, true)}}` : ''
    return isNested
      ? `${name}${required.includes(name) ? '' : '?'}`
      : `\`${name}\`${required.includes(name) ? '' : '?'}${inner}`
  })
  return fields.join(', ')
}

// — tables —

async function tablesPage(sources) {
  const { toMarkdown } = await fromDist('machine/index.js')
  const { phaseTable } = await fromDist('sessions/index.js')
  const { approvalTable } = await fromDist('approvals/index.js')
  const { statusTable } = await fromDist('panes/index.js')
  const handled = new Set(
    [...sources]
      .filter(([name]) => name.startsWith('sessions/'))
      .flatMap(([, text]) => [...text.matchAll(/case '([a-z-]+)':/g)].map(match => match[1])),
  )
  const idle = phaseTable.definition.actions.filter(action => !handled.has(action))
  const isDriven = [...sources].some(
    ([name, text]) => name !== 'approvals/approval-table.ts' && /\((approvalTable)\b/.test(text),
  )
  return page(
    'State tables',
    'src/sessions/live/phase-table.ts`, `src/panes/status-table.ts` and `src/approvals/approval-table.ts',
    'A state machine is a table of data: for a state and an event, the next state and the actions. `=` stays in the state, `–` does nothing, an empty cell is not listed: it changes nothing and is counted.',
    `## Session phases\n\nWhat Signalbox does with a session as its screen changes. The first events are the views of a frame, the last ones happen beside the screen.\n\n${toMarkdown(phaseTable)}${idle.length > 0 ? `\nListed, and not carried out yet: ${idle.map(action => `\`${action}\``).join(', ')}.\n` : ''}`,
    `## Pane status\n\nWhat a pane is doing for a person. Guards: G1 the report is from another source or a newer process; G2 no live menu and no pending approval; G3 the report ranks as high as the one that began the run, or that one has expired; G4 the wait was guessed. This version uses it in \`replay\` and \`explain\`.\n\n${toMarkdown(statusTable)}`,
    `## The life of an approval\n\nSilence never approves: no row leads from a timer to a decision. What is closed never opens again; an agent that asks anew gets a new approval.\n\n${toMarkdown(approvalTable)}${isDriven ? '' : '\nThe ledger writes the events of these rows; the table itself is not run yet.\n'}\nThis version has neither deadlines nor grants.\n`,
  )
}

// — attributes of graphs —

async function graphAttributesPage() {
  const { GRAPH_ATTRIBUTES, NODE_ATTRIBUTES, EDGE_ATTRIBUTES } = await fromDist('graph/index.js')
  const rows = attributes =>
    Object.entries(attributes).map(([name, { type, aliases = [], default: standard, says }]) => [
      `\`${name}\`${aliases.map(alias => `, \`${alias}\``).join('')}`,
      typeName(type),
      standard ? `\`${standard}\`` : '',
      cell(says),
    ])
  const section = (title, attributes) =>
    `## ${title}\n\n${table(['attribute', 'value', 'default', ''], rows(attributes))}`
  return page(
    'Attributes of graphs',
    'src/graph/attribute-table.ts',
    'What a workflow in DOT may say. Other names are kept; `signalbox validate --all` names those that mean nothing. The guide is [Workflows as graphs](../guides/graphs.md).',
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
