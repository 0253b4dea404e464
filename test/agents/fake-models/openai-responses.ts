import {
  contentText,
  eventStream,
  list,
  type ModelRequest,
  newId,
  object,
  sample,
  sendJson,
  type Wire,
} from './wire.js'

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
}

/** `POST /v1/responses`, streamed. */
export const openaiResponses: Wire = {
  read(request, body) {
    if (!request.url?.endsWith('/responses')) return null
    const { tools, input, text } = object(body)
    // A turn may have a schema, too: only a request for a title is not a turn.
    const isTitle = 'title' in object(object(object(object(text).format).schema).properties)
    const asked: ModelRequest = {
      tools: isTitle ? [] : list(tools).map(({ name, type }) => String(name ?? type)),
      prompts: [],
      results: [],
      answers: [],
    }
    for (const item of typeof input === 'string' ? [{ role: 'user', content: input }] : list(input))
      readItem(asked, item)
    return asked
  },
  write(response, _request, body) {
    const send = eventStream(response)
    const shell = { id: newId('resp'), object: 'response', created_at: 1, model: object(body).model, tools: [] }
    const output: object[] = []
    let number = 0
    let message: { id: string; text: string } | null = null
    const event = (type: string, data: object) => send({ type, sequence_number: number++, ...data }, type)
    const finish = (item: object) => {
      event('response.output_item.done', { output_index: output.length, item })
      output.push(item)
    }
    const close = () => {
      if (!message) return
      const { id, text } = message
      const at = { item_id: id, output_index: output.length, content_index: 0 }
      const part = { type: 'output_text', text, annotations: [] }
      event('response.output_text.done', { ...at, text })
      event('response.content_part.done', { ...at, part })
      finish({ type: 'message', id, role: 'assistant', status: 'completed', content: [part] })
      message = null
    }
    return {
      begin() {
        event('response.created', { response: { ...shell, status: 'in_progress', output: [] } })
      },
      text(piece) {
        if (!message) {
          message = { id: newId('msg'), text: '' }
          const item = { type: 'message', id: message.id, role: 'assistant', status: 'in_progress', content: [] }
          event('response.output_item.added', { output_index: output.length, item })
          const part = { type: 'output_text', text: '', annotations: [] }
          event('response.content_part.added', {
            item_id: message.id,
            output_index: output.length,
            content_index: 0,
            part,
          })
        }
        message.text += piece
        const at = { item_id: message.id, output_index: output.length, content_index: 0 }
        event('response.output_text.delta', { ...at, delta: piece })
      },
      tool({ name, namespace, input, isFreeform }) {
        close()
        const call = { call_id: newId('call'), name, ...(namespace !== undefined && { namespace }) }
        const item = isFreeform
          ? { type: 'custom_tool_call', id: newId('ctc'), ...call, input: String(input) }
          : { type: 'function_call', id: newId('fc'), ...call, arguments: JSON.stringify(input) }
        event('response.output_item.added', { output_index: output.length, item: { ...item, status: 'in_progress' } })
        finish({ ...item, status: 'completed' })
      },
      end() {
        close()
        event('response.completed', { response: { ...shell, status: 'completed', output, usage: USAGE } })
        response.end()
      },
    }
  },
  side(response, request, body) {
    const { format } = object(object(body).text)
    const { schema } = object(format)
    const text = schema === undefined ? 'Test session' : JSON.stringify(sample(schema))
    if (object(body).stream === true) {
      const writer = this.write(response, request, body)
      writer.begin()
      writer.text(text)
      writer.end()
      return
    }
    const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }
    sendJson(response, { id: newId('resp'), object: 'response', status: 'completed', output: [message], usage: USAGE })
  },
}

function readItem(asked: ModelRequest, { type, role, content, output }: Readonly<Record<string, unknown>>): void {
  if (role === 'user') {
    asked.prompts.push(contentText(content))
    asked.results = []
  } else if (role === 'assistant') asked.answers.push(contentText(content))
  else if (typeof type === 'string' && type.endsWith('_output'))
    asked.results.push(contentText(object(output).content ?? output))
}
