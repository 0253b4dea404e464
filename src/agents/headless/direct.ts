import { parseRecord } from '../json-lines.js'
import { demoParser } from './demo.js'
import type { HeadlessAgent } from './headless.js'

/** A model behind an OpenAI-compatible URL. It only answers: no tools, no session. */
export const directHeadless: HeadlessAgent = {
  levels: ['read', 'edits', 'all'],
  takesModel: true,
  takesSchema: true,
  needsEndpoint: true,
  offers: ['temperature', 'max_tokens'],
  command(_, { endpoint, apiKeyEnv, model, schema, tuning = {} }) {
    return {
      args: [
        '--endpoint',
        endpoint ?? '',
        ...(model !== null ? ['--model', model] : []),
        ...(apiKeyEnv !== null ? ['--api-key-env', apiKeyEnv] : []),
        ...(schema ? ['--schema', schema.file] : []),
        ...(tuning.temperature !== undefined ? ['--temperature', String(tuning.temperature)] : []),
        ...(tuning.maxTokens !== undefined ? ['--max-tokens', String(tuning.maxTokens)] : []),
      ],
      env: {},
      stdin: 'prompt',
      agentSessionId: null,
    }
  },
  parser: ({ schema }) => ({
    parse(part) {
      return demoParser.parse(part).map(body => {
        const structured = schema && body.type === 'result' && body.ok ? parseRecord(body.text) : null
        return structured ? { ...body, structured } : body
      })
    },
  }),
  // Everything about it is in our own log.
  examine: async ({ sessionId }) => ({ isComplete: false, hasWork: false, text: null, sessionId, evidence: [] }),
}
