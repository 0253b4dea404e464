import { claudeTranscript } from '../claude-transcript.js'
import { isRecord, JsonLinesReader } from '../json-lines.js'
import { ClaudeStream } from './claude-stream.js'
import { examineTranscript } from './examine.js'
import type { HeadlessAgent, PermissionLevel } from './headless.js'

/** What a read-only step may use: files, and git commands that read. */
const READING = [
  'Read',
  'Grep',
  'Glob',
  'Bash(git diff:*)',
  'Bash(git log:*)',
  'Bash(git show:*)',
  'Bash(git status:*)',
]

/** The mode is always passed, because the program's default has changed before. */
const MODES: Readonly<Record<PermissionLevel, readonly string[]>> = {
  read: [
    '--permission-mode',
    'manual',
    '--permission-prompts',
    'none',
    '--allowedTools',
    READING.join(','),
    '--disallowedTools',
    'Edit,Write,NotebookEdit',
  ],
  ask: ['--permission-mode', 'manual', '--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'],
  edits: ['--permission-mode', 'acceptEdits'],
  all: ['--permission-mode', 'bypassPermissions'],
}

/** Claude Code without a terminal: `claude -p`. */
export const claudeHeadless: HeadlessAgent = {
  levels: ['read', 'ask', 'edits', 'all'],
  asksByDefault: true,
  takesModel: true,
  takesSchema: true,
  canFork: true,
  command(_, { permissions, model, effort, resume, isFork, newSessionId, schema, maxCostUsd }) {
    const asks = permissions === 'ask'
    return {
      args: [
        '-p',
        '--output-format',
        'stream-json',
        '--verbose',
        '--include-partial-messages',
        ...(resume !== null ? ['--resume', resume] : []),
        ...(resume !== null && isFork ? ['--fork-session'] : []),
        ...(resume === null || isFork ? ['--session-id', newSessionId] : []),
        ...MODES[permissions],
        ...(model !== null ? ['--model', model] : []),
        ...(effort ? ['--effort', effort] : []),
        ...(maxCostUsd !== null ? ['--max-budget-usd', String(maxCostUsd)] : []),
        ...(schema ? ['--json-schema', JSON.stringify(schema.json)] : []),
      ],
      env: { DISABLE_AUTOUPDATER: '1' },
      stdin: asks ? 'protocol' : 'prompt',
      agentSessionId: isFork ? newSessionId : (resume ?? newSessionId),
    }
  },
  protocol: {
    prompt: text =>
      line({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] }, parent_tool_use_id: null }),
    answer: ({ requestId, input }, { isAllowed, message, editedInput }) => {
      const response = isAllowed
        ? { behavior: 'allow', updatedInput: editedInput ?? input }
        : { behavior: 'deny', message: message ?? 'A person denied this.' }
      return line({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } })
    },
  },
  parser: () => new ClaudeStream(({ subtype, is_error: isError }) => subtype === 'success' && isError === false),
  examine: traces => examineTranscript(claudeTranscript, traces, { isTurnOver }),
}

/** Whether the last model message of the main conversation says that it is the end. */
async function isTurnOver(file: string): Promise<boolean> {
  let reason: unknown = null
  await new JsonLinesReader(file).read(({ type, isSidechain, message }) => {
    if (type === 'assistant' && isSidechain !== true && isRecord(message)) reason = message.stop_reason
  })
  return reason === 'end_turn' || reason === 'stop_sequence'
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
}
