import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ActivityBody } from '../../activity/index.js'
import { isRecord, parseRecord, textOf } from '../json-lines.js'
import { DirectStream } from './direct-stream.js'
import { errorOf } from './records.js'

/*
 * A separate program: sends one prompt to a model behind an OpenAI-compatible URL, and prints
 * activities, one per line. As a program it is started, monitored and ended like every other agent.
 */

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    model: { type: 'string' },
    'api-key-env': { type: 'string' },
    schema: { type: 'string' },
    temperature: { type: 'string' },
    'max-tokens': { type: 'string' },
  },
})

function writeActivity(body: ActivityBody): void {
  process.stdout.write(`${JSON.stringify(body)}\n`)
}

function fail(error: ActivityBody & { text: string }): void {
  writeActivity(error)
  writeActivity({ type: 'result', ok: false, reason: 'error', text: error.text })
  process.exitCode = 1
}

async function ask(): Promise<void> {
  const key = values['api-key-env'] === undefined ? undefined : process.env[values['api-key-env']]
  const schema = values.schema === undefined ? null : JSON.parse(readFileSync(values.schema, 'utf8'))
  const response = await fetch(`${values.endpoint?.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({
      ...(values.model !== undefined && { model: values.model }),
      messages: [{ role: 'user', content: readFileSync(0, 'utf8') }],
      stream: true,
      ...(values.temperature !== undefined && { temperature: Number(values.temperature) }),
      ...(values['max-tokens'] !== undefined && { max_tokens: Number(values['max-tokens']) }),
      stream_options: { include_usage: true },
      ...(schema && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
      }),
    }),
  })
  if (!response.ok || !response.body) {
    const text = await response.text()
    const { error } = parseRecord(text) ?? {}
    const message = (isRecord(error) ? textOf(error.message) : textOf(error)) ?? text.slice(0, 2_000)
    const reason = message || response.statusText
    return fail(errorOf(reason, { status: response.status }) as ActivityBody & { text: string })
  }
  const stream = new DirectStream()
  const decoder = new TextDecoder()
  for await (const bytes of response.body)
    for (const body of stream.push(decoder.decode(bytes as Uint8Array, { stream: true }))) writeActivity(body)
  const last = [...stream.push(decoder.decode()), ...stream.end()]
  for (const body of last) writeActivity(body)
  if (!last.some(body => body.type === 'result' && body.ok)) process.exitCode = 1
}

await ask().catch(error => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const text = [`${values.endpoint} does not answer`, cause || String((error as Error).message)].join(': ')
  fail(errorOf(text, { class: 'network' }) as ActivityBody & { text: string })
})
