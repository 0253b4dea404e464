import type { MenuAnswer } from '../menu/menu-state.js'
import type { MenuSpec, StepTypes } from '../scenario/types.js'
import { type Stage, TurnOver } from './stage.js'
import type { ToolCall } from './surface.js'

/** Shows a menu, lets a hook answer it first where one may, and writes down what was answered. */
export async function askAndRecord(menu: MenuSpec, call: ToolCall | null, stage: Stage): Promise<MenuAnswer> {
  const closed = new AbortController()
  const signal = AbortSignal.any([stage.signal, closed.signal])
  const onScreen = stage.menus.show(signal, () => stage.surface.ask({ menu, call, signal }))
  onScreen.catch(() => undefined)
  const message =
    menu.kind === 'permission'
      ? `approve ${call?.name ?? menu.title}: ${call?.summary ?? ''}`
      : `answer: ${menu.question}`
  void stage.hooks.tell('Notification', {
    message,
    notification_type: menu.kind === 'permission' ? 'permission_prompt' : 'elicitation_dialog',
    kind: menu.kind ?? 'question',
  })
  const byHook = menu.kind === 'permission' && call ? answerByHook(call, stage) : null
  const answer = await (byHook ? Promise.race([onScreen, byHook]) : onScreen)
  closed.abort()
  const labels = answer.answers.flatMap(part => part.labels)
  const text = answer.answers
    .map(part => part.text)
    .filter(Boolean)
    .join(' ')
  const isSecret = menu.layout === 'password'
  stage.words.set('answer', labels.join(', ') || text || 'nothing')
  if (isSecret) stage.words.set('answer', '•'.repeat(8))
  stage.transcript.append({
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
function answerByHook(call: ToolCall, stage: Stage): Promise<MenuAnswer> {
  return new Promise(resolve => {
    // As in Claude Code it does not say which tool use it is about.
    void stage.hooks
      .decide('PermissionRequest', {
        tool_name: call.name,
        tool_input: call.input,
        prompt_id: stage.promptId,
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

export async function playAsk(step: StepTypes['ask'], stage: Stage): Promise<void> {
  const about = step.pages && aboutForm(step.pages, stage)
  // As in Claude Code a form is a tool: its hooks know all its questions before the first is on screen.
  if (about) await stage.hooks.decide('PreToolUse', about)
  const answer = await askAndRecord({ kind: 'question', ...step }, null, stage)
  if (about && !answer.isCancelled)
    await stage.hooks.tell('PostToolUse', {
      ...about,
      tool_response: { ok: true, output: JSON.stringify(answer.answers) },
    })
  if (answer.isCancelled) throw new TurnOver('denied')
}

function aboutForm(pages: NonNullable<MenuSpec['pages']>, stage: Stage): Record<string, unknown> {
  const questions = pages.map(({ label, question, multi, options }) => ({
    question,
    header: label,
    multiSelect: multi === true,
    options: (options ?? []).map(option => ({ label: option.label })),
  }))
  return {
    tool_name: 'AskUserQuestion',
    tool_input: { questions },
    tool_use_id: stage.newCallId(),
    prompt_id: stage.promptId,
  }
}

export async function playPlan(step: StepTypes['plan'], stage: Stage): Promise<void> {
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
    stage,
  )
  if (answer.meaning === 'allow-session') stage.permissions.grant({ name: 'Edit', kind: 'edit' })
  if (answer.isCancelled || answer.meaning === 'deny') throw new TurnOver('denied')
}

export async function playTrust(step: StepTypes['trust'], stage: Stage): Promise<void> {
  const answer = await askAndRecord(
    {
      kind: 'trust',
      layout: 'plain',
      title: 'A folder I do not know',
      body: `${step.folder ?? stage.cwd}\n\nFiles in it may tell me what to do, and I may run what they name.`,
      question: 'Do you trust the files in this folder?',
      options: [
        { label: 'No, exit', meaning: 'deny' },
        { label: 'Yes, I trust this folder', meaning: 'allow-always' },
      ],
    },
    null,
    stage,
  )
  if (answer.meaning !== 'allow-always') throw new TurnOver('denied')
}

export async function playAuth(step: StepTypes['auth'], stage: Stage): Promise<void> {
  if (step.method === 'expired')
    throw new TurnOver('failed', { kind: 'auth', message: 'Not signed in · run /login', status: 401 })
  if (step.method === 'key') {
    await askAndRecord({ kind: 'input', layout: 'password', question: 'API key:' }, null, stage)
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
    stage,
  )
  if (answer.isCancelled || answer.meaning === 'cancel')
    throw new TurnOver('failed', { kind: 'auth', message: 'Not signed in · run /login', status: 401 })
}
