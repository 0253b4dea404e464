import { claudeTranscript } from '../claude-transcript.js'
import { isRecord, JsonLinesReader } from '../json-lines.js'
import { ClaudeStream } from './claude-stream.js'
import { examineTranscript } from './examine.js'
import type { HeadlessAgent, HeadlessStep, PermissionLevel, TurnTuning } from './headless.js'
import { toolHookLine } from './tool-hooks.js'

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
  offers: ['reasoning_effort', 'max_turns', 'allowed_tools', 'max_tokens', 'tool_hooks'],
  command(_, step) {
    const { permissions, model, effort, tuning = {}, resume, isFork, newSessionId, schema, maxCostUsd } = step
    const { maxTurns, allowedTools, maxTokens, toolHooks } = tuning

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
        ...(maxTurns !== undefined ? ['--max-turns', String(maxTurns)] : []),
        ...(allowedTools ? ['--tools', allowedTools.join(',')] : []),
        ...(toolHooks ? ['--settings', JSON.stringify({ hooks: hooksOf(toolHooks, step) })] : []),
        ...(maxCostUsd !== null ? ['--max-budget-usd', String(maxCostUsd)] : []),
        ...(schema ? ['--json-schema', JSON.stringify(schema.json)] : []),
      ],
      env: {
        DISABLE_AUTOUPDATER: '1',
        ...(maxTokens !== undefined && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxTokens) }),
      },
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

function hooksOf({ pre, post }: NonNullable<TurnTuning['toolHooks']>, { directory }: HeadlessStep) {
  const entry = (when: 'pre' | 'post', command: string) => [
    { matcher: '*', hooks: [{ type: 'command', command: toolHookLine(when, command, directory) }] },
  ]
  return {
    ...(pre !== null && { PreToolUse: entry('pre', pre) }),
    ...(post !== null && { PostToolUse: entry('post', post) }),
  }
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
