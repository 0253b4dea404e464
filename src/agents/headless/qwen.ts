import { qwenTranscript } from '../qwen-transcript.js'
import { ClaudeStream } from './claude-stream.js'
import { examineTranscript } from './examine.js'
import type { HeadlessAgent } from './headless.js'

const MODES = { read: 'plan', ask: 'default', edits: 'auto-edit', all: 'yolo' } as const

/** Qwen Code without a terminal. It needs Node 22. */
export const qwenHeadless: HeadlessAgent = {
  levels: ['read', 'edits', 'all'],
  takesModel: true,
  takesSchema: true,
  command(_, { permissions, model, resume, newSessionId, schema }) {
    return {
      args: [
        '-o',
        'stream-json',
        '--approval-mode',
        MODES[permissions],
        ...(resume !== null ? ['-r', resume] : ['--session-id', newSessionId]),
        ...(model !== null ? ['-m', model] : []),
        ...(schema ? ['--json-schema', JSON.stringify(schema.json)] : []),
      ],
      env: { QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' },
      stdin: 'prompt',
      agentSessionId: resume ?? newSessionId,
    }
  },
  parser: () => new ClaudeStream(({ is_error: isError }) => isError === false),
  examine: traces => examineTranscript(qwenTranscript, traces),
}
