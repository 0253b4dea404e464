import { contentText, eventStream, list, type ModelRequest, newId, object, sendJson, type Wire } from './wire.js'

const USAGE = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

/** `POST /v1/messages`, streamed. */
export const anthropicMessages: Wire = {
  read(request, body) {
    if (!request.url?.startsWith('/v1/messages') || request.url.includes('count_tokens')) return null
    const { tools, messages } = object(body)
    const asked: ModelRequest = {
      tools: list(tools).map(({ name }) => String(name)),
      prompts: [],
      results: [],
      answers: [],
    }
    for (const { role, content } of list(messages)) {
      if (role === 'assistant') asked.answers.push(contentText(content))
      else if (role === 'user') readUser(asked, content)
    }
    return asked
  },
  write(response, _request, body) {
    const send = eventStream(response)
    const id = newId('msg')
    let index = -1
    let isTextOpen = false
    let reason = 'end_turn'
    const event = (type: string, data: object) => send({ type, ...data }, type)
    const close = () => {
      if (isTextOpen) event('content_block_stop', { index })
      isTextOpen = false
    }
    return {
      begin() {
        const message = { id, type: 'message', role: 'assistant', model: object(body).model, content: [] }
        event('message_start', {
          message: { ...message, stop_reason: null, stop_sequence: null, usage: { ...USAGE, output_tokens: 1 } },
        })
      },
      text(piece) {
        if (!isTextOpen) event('content_block_start', { index: ++index, content_block: { type: 'text', text: '' } })
        isTextOpen = true
        event('content_block_delta', { index, delta: { type: 'text_delta', text: piece } })
      },
      tool({ name, input }) {
        close()
        reason = 'tool_use'
        event('content_block_start', {
          index: ++index,
          content_block: { type: 'tool_use', id: newId('toolu'), name, input: {} },
        })
        event('content_block_delta', {
          index,
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
        })
        event('content_block_stop', { index })
      },
      end() {
        close()
        event('message_delta', {
          delta: { stop_reason: reason, stop_sequence: null },
          usage: { ...USAGE, output_tokens: 20 },
        })
        event('message_stop', {})
        response.end()
      },
    }
  },
  side(response, request, body) {
    if (object(body).stream === true) {
      const writer = this.write(response, request, body)
      writer.begin()
      writer.text('Test session')
      writer.end()
      return
    }
    const message = { id: newId('msg'), type: 'message', role: 'assistant', model: object(body).model }
    sendJson(response, {
      ...message,
      content: [{ type: 'text', text: 'Test session' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { ...USAGE, output_tokens: 2 },
    })
  },
}

/** One message may contain a tool result, the next prompt and notes of the agent, as blocks. */
/** What the agent adds to a conversation by itself, also after the results of tools. */
const NOTE = /^<(system-reminder|total_tokens)>/

function readUser(asked: ModelRequest, content: unknown): void {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)
  const words = blocks.filter(({ type, text }) => type === 'text' && !NOTE.test(String(text)))
  for (const block of blocks) if (block.type === 'tool_result') asked.results.push(contentText(block.content))
  if (words.length === 0) return
  asked.prompts.push(contentText(words))
  asked.results = []
}
