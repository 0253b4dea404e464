import { resolve } from 'node:path'
import { plural } from '../../text/index.js'
import type { MenuAnswer } from '../menu/menu-state.js'
import { Interrupted } from '../pace.js'
import type { MenuOption, MenuSpec, ToolStep } from '../scenario/types.js'
import { diffRows, diffStat } from '../text/diff.js'
import { readWhole } from '../tools/tools.js'
import { askAndRecord } from './play-menus.js'
import type { ToolCall, ToolResult } from './surface.js'
import { EndTurn, type TurnContext } from './turn-context.js'

const SHOW = { shell: 8, read: 0, other: 6 }

/** One tool: hooks, permission, the real action (or a simulated one), result. */
export async function playTool(step: ToolStep, context: TurnContext): Promise<void> {
  const call = describeCall(step, context)
  const { surface, transcript, hooks } = context
  surface.setWorking({ label: `Using ${step.name}` })
  surface.toolStarted(call)
  transcript.append({
    type: 'tool_use',
    callId: call.id,
    name: call.name,
    kind: call.kind,
    input: call.input,
    ...subAgentOf(call),
  })
  const verdict = await hooks.decide('PreToolUse', aboutTool(call, context))
  let decision = context.permissions.decide(step)
  if (verdict?.decision === 'deny') decision = 'refuse'
  if (verdict?.decision === 'allow') decision = 'run'
  if (decision === 'refuse')
    return declined(
      step,
      call,
      context,
      verdict?.message ?? `not allowed in permission mode "${context.permissions.mode}"`,
    )
  if (decision === 'ask') {
    const answer = await askAndRecord(permissionMenu(step, call, context), call, context)
    if (answer.meaning === 'allow-session' || answer.meaning === 'allow-always') context.permissions.grant(step)
    if (answer.meaning === null || !answer.meaning.startsWith('allow'))
      return declined(step, call, context, refusalOf(answer))
    surface.setWorking({ label: `Using ${step.name}` })
    if (answer.updatedInput) {
      const { command } = answer.updatedInput
      if (typeof command === 'string') step = { ...step, command }
      call.input = answer.updatedInput
    }
  }
  const result = await act(step, call, context).catch((error: unknown): ToolResult => {
    if (!(error instanceof Interrupted)) return { isOk: false, output: (error as Error).message }
    finish(call, { isOk: false, output: 'stopped' }, context)
    throw error
  })
  if (result.exitCode !== undefined) context.variables.set('exitCode', String(result.exitCode))
  finish(call, result, context)
  await hooks.notify('PostToolUse', {
    ...aboutTool(call, context),
    tool_response: { ok: result.isOk, output: result.output },
  })
}

/**
 * Runs all tools at the same time; the turn continues after the last one, or ends when one of them
 * ends it.
 */
export async function playParallel({ tools }: { tools: ToolStep[] }, context: TurnContext): Promise<void> {
  const ends = await Promise.allSettled(tools.map(tool => playTool(tool, context)))
  const failed = ends.find(end => end.status === 'rejected')
  if (failed) throw failed.reason
}

function aboutTool(call: ToolCall, context: TurnContext): Record<string, unknown> {
  return {
    tool_name: call.name,
    tool_input: call.input,
    tool_use_id: call.id,
    prompt_id: context.promptId,
    ...(call.subAgent !== undefined && { agent_id: call.subAgent }),
  }
}

function subAgentOf(call: ToolCall): { agent?: string } {
  return call.subAgent === undefined ? {} : { agent: call.subAgent }
}

function finish(call: ToolCall, result: ToolResult, context: TurnContext): void {
  const exit = result.exitCode === undefined ? {} : { exitCode: result.exitCode }
  context.transcript.append({
    type: 'tool_result',
    callId: call.id,
    ok: result.isOk,
    output: result.output.slice(0, 65_536),
    ...(result.isDeclined && { declined: true }),
    ...subAgentOf(call),
    ...exit,
  })
  context.surface.toolEnded(call, result)
}

function declined(step: ToolStep, call: ToolCall, context: TurnContext, why: string): void {
  finish(call, { isOk: false, output: `declined: ${why}`, isDeclined: true }, context)
  context.variables.set('answer', why)
  if (step.onDeny !== 'continue') throw new EndTurn('denied')
}

function refusalOf(answer: MenuAnswer): string {
  const text = answer.answers[0]?.text.trim()
  if (text) return text
  return answer.by ? `by ${answer.by}` : 'by you'
}

function describeCall(step: ToolStep, context: TurnContext): ToolCall {
  const line = Array.isArray(step.command) ? step.command.join(' ') : step.command
  const path = step.edit?.path ?? step.write?.path ?? step.append?.path ?? step.read?.path
  const input = step.input ?? {
    ...(line !== undefined && { command: line }),
    ...(path !== undefined && { path }),
    ...(step.edit && { find: step.edit.find, replace: step.edit.replace }),
    ...(step.write && { text: step.write.text }),
    ...(step.append && { append: step.append.text }),
  }
  const show = step.show ?? (step.kind === 'shell' ? SHOW.shell : step.kind === 'read' ? SHOW.read : SHOW.other)
  return {
    id: context.newCallId(),
    name: step.name,
    kind: step.kind,
    summary: step.summary ?? line ?? path ?? '',
    input,
    show,
    ...(step.subAgent !== undefined && { subAgent: step.subAgent }),
  }
}

function permissionMenu(step: ToolStep, call: ToolCall, context: TurnContext): MenuSpec {
  const custom = step.permission === true || step.permission === undefined ? {} : step.permission
  const isFile = step.edit !== undefined || step.write !== undefined || step.append !== undefined
  const preview = isFile ? previewOf(step, context.cwd) : null
  return {
    kind: 'permission',
    title: isFile
      ? preview?.isNew
        ? 'Create a file'
        : 'Edit a file'
      : step.kind === 'shell'
        ? 'Run a command'
        : `Use ${step.name}`,
    question: isFile
      ? `May I make this change to \`${call.summary}\`?`
      : step.kind === 'shell'
        ? 'May I run this command?'
        : `May I use ${step.name}?`,
    ...(preview && { diff: { path: call.summary, before: preview.before, after: preview.after } }),
    ...(step.kind === 'shell' && { command: call.summary }),
    options: usualOptions(isFile ? 'edits' : step.kind === 'shell' ? `\`${call.summary}\`` : step.name),
    ...custom,
  }
}

function usualOptions(what: string): MenuOption[] {
  return [
    { label: 'Yes, this once', meaning: 'allow-once' },
    { label: `Yes, and do not ask again for ${what.replaceAll('`', '')} this session`, meaning: 'allow-session' },
    { label: 'No', meaning: 'deny' },
    {
      label: 'No, and tell the agent what to do instead',
      meaning: 'deny-with-text',
      placeholder: 'No, and tell the agent what to do instead',
    },
  ]
}

function previewOf(step: ToolStep, cwd: string): { before: string; after: string; isNew: boolean } | null {
  const path = step.edit?.path ?? step.write?.path ?? step.append?.path
  if (path === undefined) return null
  const before = readWhole(resolve(cwd, path))
  const after = changedText(step, before ?? '')
  return { before: before ?? '', after: after ?? before ?? '', isNew: before === null }
}

function changedText(step: ToolStep, before: string): string | null {
  if (step.write) return step.write.text
  if (step.append) return before + step.append.text
  if (step.edit && before.includes(step.edit.find)) return before.replace(step.edit.find, () => step.edit!.replace)
  return null
}

async function act(step: ToolStep, call: ToolCall, context: TurnContext): Promise<ToolResult> {
  if (step.output !== undefined) {
    await context.pace.sleep(step.ms ?? 400, context.signal)
    const exitCode = step.exitCode ?? 0
    return { isOk: exitCode === 0, output: step.output, ...(step.kind === 'shell' && { exitCode }) }
  }
  if (step.ms) await context.pace.sleep(step.ms, context.signal)
  if (step.command !== undefined) return runForReal(step.command, call, context)
  if (step.read) return readFile(step.read.path, context)
  return changeForReal(step, call.summary, context)
}

async function runForReal(command: string | string[], call: ToolCall, context: TurnContext): Promise<ToolResult> {
  let output = ''
  const child = context.tools.start(call, command, context.cwd, chunk => {
    output += chunk
    context.surface.toolOutput(call, chunk)
  })
  context.signal.addEventListener('abort', child.kill, { once: true })
  const { exitCode } = await child.ended
  context.signal.removeEventListener('abort', child.kill)
  if (context.signal.aborted) throw new Interrupted()
  return { isOk: exitCode === 0, output: output.trimEnd(), exitCode }
}

async function readFile(path: string, { tools, cwd }: TurnContext): Promise<ToolResult> {
  const text = await tools.read(resolve(cwd, path))
  if (text === null) return { isOk: false, output: `there is no file ${path}` }
  const lines = text.trimEnd().split('\n').length
  return { isOk: true, output: plural(lines, 'line') }
}

async function changeForReal(step: ToolStep, path: string, { tools, cwd }: TurnContext): Promise<ToolResult> {
  const file = resolve(cwd, path)
  const before = await tools.read(file)
  const after = changedText(step, before ?? '')
  if (after === null)
    return { isOk: false, output: step.edit ? `${path} does not contain the text to replace` : 'nothing to do' }
  await tools.write(file, after)
  const diff = diffRows(before ?? '', after)
  const { added, removed } = diffStat(diff)
  return {
    isOk: true,
    output: `+${added} −${removed}`,
    diff,
    change: { path, change: before === null ? 'create' : 'update' },
  }
}
