import type { MenuAnswer } from '../menu/menu-state.js'
import type { MenuSpec, StepTypes } from '../scenario/types.js'
import type { ToolCall } from './surface.js'
import { EndTurn, type TurnContext } from './turn-context.js'

/** Shows a menu, lets a hook answer it first if it may, and records the answer. */
export async function askAndRecord(menu: MenuSpec, call: ToolCall | null, context: TurnContext): Promise<MenuAnswer> {
  const closed = new AbortController()
  const signal = AbortSignal.any([context.signal, closed.signal])
  const onScreen = context.menus.show(signal, async () => {
    if (menu.afterMs) await context.pace.sleep(menu.afterMs, signal)
    return context.surface.ask({ menu, call, signal })
  })
  onScreen.catch(() => undefined)
  const message =
    menu.kind === 'permission'
      ? `approve ${call?.name ?? menu.title}: ${call?.summary ?? ''}`
      : `answer: ${menu.question}`
  void context.hooks.notify('Notification', {
    message,
    notification_type: menu.kind === 'permission' ? 'permission_prompt' : 'elicitation_dialog',
    kind: menu.kind ?? 'question',
  })
  const byHook = menu.kind === 'permission' && call ? answerByHook(call, menu.hookAfterMs ?? 0, context) : null
  const answer = await (byHook ? Promise.race([onScreen, byHook]) : onScreen)
  closed.abort()
  const labels = answer.answers.flatMap(part => part.labels)
  const text = answer.answers
    .map(part => part.text)
    .filter(Boolean)
    .join(' ')
  const isSecret = menu.layout === 'password'
  context.variables.set('answer', labels.join(', ') || text || 'nothing')
  if (isSecret) context.variables.set('answer', '•'.repeat(8))
  context.transcript.append({
    type: 'menu',
    kind: menu.kind ?? 'question',
    question: menu.question,
    options: (menu.options ?? []).map(option => option.label),
    answer: answer.isCancelled ? null : labels,
    meaning: answer.meaning,
    ...(answer.by && { by: answer.by }),
    ...(text && !isSecret && { text }),
  })
  return answer
}

/** Never settles if no hook decides, so that the person's answer wins the race. */
async function answerByHook(call: ToolCall, afterMs: number, context: TurnContext): Promise<MenuAnswer> {
  if (afterMs > 0) await context.pace.sleep(afterMs, context.signal)
  return new Promise(resolve => {
    // As in Claude Code it does not name the tool use that it is about.
    void context.hooks
      .decide('PermissionRequest', {
        tool_name: call.name,
        tool_input: call.input,
        prompt_id: context.promptId,
        permission_suggestions: [
          { type: 'addRules', rules: [{ toolName: call.name }], behavior: 'allow', destination: 'localSettings' },
        ],
        ...(call.subAgent !== undefined && { agent_id: call.subAgent }),
      })
      .then(verdict => {
        if (verdict === null) return
        const allowed = verdict.isForSession ? 'allow-session' : 'allow-once'
        const meaning = verdict.decision === 'allow' ? allowed : 'deny'
        resolve({
          isCancelled: false,
          meaning,
          by: 'a hook',
          answers: [{ question: '', labels: [verdict.decision], text: verdict.message ?? '' }],
          ...(verdict.updatedInput && { updatedInput: verdict.updatedInput }),
        })
      })
  })
}

export async function playAsk(step: StepTypes['ask'], context: TurnContext): Promise<void> {
  const about = step.pages && aboutForm(step.pages, context)
  // As in Claude Code a form is a tool: its hooks get all questions before the first one is on the
  // screen.
  if (about) await context.hooks.decide('PreToolUse', about)
  const answer = await askAndRecord({ kind: 'question', ...step }, null, context)
  if (about && !answer.isCancelled)
    await context.hooks.notify('PostToolUse', {
      ...about,
      tool_response: { ok: true, output: JSON.stringify(answer.answers) },
    })
  if (answer.isCancelled) throw new EndTurn('denied')
}

function aboutForm(pages: NonNullable<MenuSpec['pages']>, context: TurnContext): Record<string, unknown> {
  const questions = pages.map(({ label, question, multi, options }) => ({
    question,
    header: label,
    multiSelect: multi === true,
    options: (options ?? []).map(option => ({ label: option.label })),
  }))
  return {
    tool_name: 'AskUserQuestion',
    tool_input: { questions },
    tool_use_id: context.newCallId(),
    prompt_id: context.promptId,
  }
}

export async function playPlan(step: StepTypes['plan'], context: TurnContext): Promise<void> {
  const options = step.options ?? [
    { label: 'Yes, go ahead', meaning: 'allow-once' as const },
    { label: 'Yes, and accept edits for this session', meaning: 'allow-session' as const },
    { label: 'No, keep planning', meaning: 'deny' as const },
    {
      label: 'Tell the agent what to change',
      meaning: 'deny-with-text' as const,
      placeholder: 'Tell the agent what to change',
    },
  ]
  const answer = await askAndRecord(
    { kind: 'plan', title: 'The plan', body: step.markdown, question: 'Shall I go ahead with this plan?', options },
    null,
    context,
  )
  if (answer.meaning === 'allow-session') context.permissions.grant({ name: 'Edit', kind: 'edit' })
  if (answer.isCancelled || answer.meaning === 'deny') throw new EndTurn('denied')
}

export async function playTrust(step: StepTypes['trust'], context: TurnContext): Promise<void> {
  const answer = await askAndRecord(
    {
      kind: 'trust',
      layout: 'plain',
      title: 'A folder I do not know',
      body: `${step.folder ?? context.cwd}\n\nFiles in it may tell me what to do, and I may run what they name.`,
      question: 'Do you trust the files in this folder?',
      options: [
        { label: 'No, exit', meaning: 'deny' },
        { label: 'Yes, I trust this folder', meaning: 'allow-always' },
      ],
    },
    null,
    context,
  )
  if (answer.meaning !== 'allow-always') throw new EndTurn('denied')
}

export async function playAuth(step: StepTypes['auth'], context: TurnContext): Promise<void> {
  if (step.method === 'expired')
    throw new EndTurn('failed', { kind: 'auth', message: 'Not signed in · run /login', status: 401 })
  if (step.method === 'key') {
    await askAndRecord({ kind: 'input', layout: 'password', question: 'API key:' }, null, context)
    return
  }
  const url = step.url ?? 'https://signalbox.invalid/device'
  const isDevice = step.method === 'device'
  const answer = await askAndRecord(
    {
      kind: 'auth',
      title: 'Sign in',
      question: isDevice
        ? `Open ${url} and enter the code ${step.code ?? 'SBOX-4711'}.`
        : 'How would you like to sign in?',
      options: isDevice
        ? [{ label: 'I have signed in' }, { label: 'Cancel', meaning: 'cancel' }]
        : [
            { label: 'With the browser', detail: url },
            { label: 'With an API key' },
            { label: 'Not now', meaning: 'cancel' },
          ],
    },
    null,
    context,
  )
  if (answer.isCancelled || answer.meaning === 'cancel')
    throw new EndTurn('failed', { kind: 'auth', message: 'Not signed in · run /login', status: 401 })
}
