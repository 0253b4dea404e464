import { isEvent } from '../../events/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import type { StoredEvent } from '../../store/index.js'

/** The prompts and answers of a session. The last of several versions of a message counts. */
export function talkMarkdown(record: SessionRecord, events: readonly StoredEvent[]): string {
  const head = `# ${record.label ?? record.title ?? record.id}\n\n${record.agent} in ${record.cwd}, ${new Date(record.startedAt).toISOString()}`
  const parts = new Map<string, string>()
  for (const event of events) {
    if ((isEvent(event, 'turn.opened') || isEvent(event, 'turn.prompted')) && event.data.prompt !== undefined)
      parts.set(`prompt ${event.data.turn}`, quoted(event.data.prompt))
    if (isEvent(event, 'message.final')) parts.set(`message ${event.data.message}`, event.data.markdown.trimEnd())
  }
  return `${[head, ...parts.values()].join('\n\n')}\n`
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map(line => `> ${line}`.trimEnd())
    .join('\n')
}
