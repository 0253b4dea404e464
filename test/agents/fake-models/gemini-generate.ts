import { eventStream, list, type ModelRequest, newId, object, sample, sendJson, type Wire } from './wire.js'

const USAGE = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 }

/** `POST …/models/<model>:streamGenerateContent`, and `:generateContent` for side calls. */
export const geminiGenerate: Wire = {
  read(request, body) {
    if (!/:(streamG|g)enerateContent/.test(request.url ?? '')) return null
    const { tools, contents, generationConfig } = object(body)
    const isStructured = schemaOf(generationConfig) !== undefined
    const asked: ModelRequest = {
      tools: isStructured
        ? []
        : list(tools).flatMap(tool => list(tool.functionDeclarations).map(({ name }) => String(name))),
      prompts: [],
      results: [],
      answers: [],
    }
    for (const { role, parts } of list(contents)) {
      for (const part of list(parts)) {
        if (part.functionResponse !== undefined)
          asked.results.push(JSON.stringify(object(part.functionResponse).response))
        else if (typeof part.text !== 'string' || part.text === '') continue
        else if (role === 'model') asked.answers.push(part.text)
        else {
          asked.prompts.push(part.text)
          asked.results = []
        }
      }
    }
    return asked
  },
  write(response) {
    const send = eventStream(response)
    const responseId = newId('gr')
    const parts = (content: object[], finishReason?: string) =>
      send({
        candidates: [{ index: 0, content: { role: 'model', parts: content }, ...(finishReason && { finishReason }) }],
        modelVersion: 'test-model',
        responseId,
        usageMetadata: USAGE,
      })
    return {
      begin() {},
      text: piece => parts([{ text: piece }]),
      tool: ({ name, input }) => parts([{ functionCall: { id: newId('call'), name, args: input } }]),
      end() {
        parts([{ text: '' }], 'STOP')
        response.end()
      },
    }
  },
  side(response, request, body) {
    const schema = schemaOf(object(body).generationConfig)
    const text = schema === undefined ? 'Test session' : JSON.stringify(sample(schema))
    if (request.url?.includes(':stream')) {
      const writer = this.write(response, request, body)
      writer.text(text)
      writer.end()
      return
    }
    const candidate = { index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }
    sendJson(response, { candidates: [candidate], usageMetadata: USAGE, modelVersion: 'test-model' })
  },
}

function schemaOf(config: unknown): unknown {
  const { responseJsonSchema, responseSchema } = object(config)
  return responseJsonSchema ?? responseSchema
}
