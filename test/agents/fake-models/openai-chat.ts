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

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

/** `POST …/chat/completions`, streamed. */
export const openaiChat: Wire = {
  read(request, body) {
    if (!request.url?.endsWith('/chat/completions')) return null
    const { tools, messages } = object(body)
    const asked: ModelRequest = {
      tools: list(tools).map(tool => String(object(tool.function).name)),
      prompts: [],
      results: [],
      answers: [],
    }
    for (const { role, content } of list(messages)) {
      if (role === 'user') {
        asked.prompts.push(contentText(content))
        asked.results = []
      } else if (role === 'tool') asked.results.push(contentText(content))
      else if (role === 'assistant') asked.answers.push(contentText(content))
    }
    return asked
  },
  write(response, _request, body) {
    const send = eventStream(response)
    const shell = { id: newId('chatcmpl'), object: 'chat.completion.chunk', created: 1, model: object(body).model }
    let reason = 'stop'
    let calls = 0
    const chunk = (delta: object, finish: string | null = null) =>
      send({ ...shell, choices: [{ index: 0, delta, finish_reason: finish }] })
    return {
      begin: () => chunk({ role: 'assistant', content: '' }),
      text: piece => chunk({ content: piece }),
      tool({ name, input }) {
        reason = 'tool_calls'
        const call = { index: calls++, id: newId('call'), type: 'function' }
        chunk({ tool_calls: [{ ...call, function: { name, arguments: JSON.stringify(input) } }] })
      },
      end() {
        chunk({}, reason)
        send({ ...shell, choices: [], usage: USAGE })
        response.end('data: [DONE]\n\n')
      },
    }
  },
  side(response, request, body) {
    const { schema } = object(object(object(body).response_format).json_schema)
    const content = schema === undefined ? 'Test session' : JSON.stringify(sample(schema))
    if (object(body).stream === true) {
      const writer = this.write(response, request, body)
      writer.begin()
      writer.text(content)
      writer.end()
      return
    }
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }
    sendJson(response, {
      id: newId('chatcmpl'),
      object: 'chat.completion',
      created: 1,
      choices: [choice],
      usage: USAGE,
    })
  },
}
