// The reference page of events, from the catalogue in src/events/.
import { z } from 'zod'
import { EVENT_GROUPS } from '../src/events/index.ts'
import { cell, page, table } from './docs-markdown.mjs'

export function eventsPage() {
  return page(
    'Events',
    'src/events/',
    'Everything that happens is an event: one immutable row in a stream, with a version that counts the stream and a position that counts the log. Sessions, approvals and runs as people see them are computed from events. Programs that read events ignore fields and types that a newer version added.',
    'The API sends the same events as server-sent events: `GET /api/v1/events[?scope=session:<id>][&since=<position>]`.',
    ...EVENT_GROUPS.map(({ title, streams, types }) => `## ${title}\n\n${streams}\n\n${eventTable(types)}`),
  )
}

function eventTable(types) {
  const rows = Object.entries(types).map(([type, { description, data }]) => [
    `\`${type}\``,
    cell(description),
    fieldsOf(z.toJSONSchema(data, { io: 'input', unrepresentable: 'any' })) || '–',
  ])
  return table(['type', 'meaning', 'data'], rows)
}

/**
 * The fields of a schema, with `?` after optional ones; objects show their fields, one level deep.
 */
function fieldsOf({ properties = {}, required = [] }, isNested = false) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const inner = schema.properties && !isNested ? ` {${fieldsOf(schema, true)}}` : ''
    return isNested
      ? `${name}${required.includes(name) ? '' : '?'}`
      : `\`${name}\`${required.includes(name) ? '' : '?'}${inner}`
  })
  return fields.join(', ')
}
