interface AgentOption {
  flag: string
  /** Shown in the list; the first is the agent's own default. */
  values?: readonly { value: string; label: string }[]
  hint?: string
}

interface AgentOptions {
  model?: AgentOption
  mode?: AgentOption
}

const GEMINI: AgentOptions = {
  model: { flag: '--model', hint: 'for example gemini-2.5-pro' },
  mode: {
    flag: '--approval-mode',
    values: [
      { value: '', label: 'Ask for every change' },
      { value: 'auto_edit', label: 'Edit files without asking' },
    ],
  },
}

/** What can be chosen before an agent starts, and the options of its command line for it. */
const OPTIONS: Readonly<Record<string, AgentOptions>> = {
  claude: {
    model: { flag: '--model', hint: 'for example sonnet or opus' },
    mode: {
      flag: '--permission-mode',
      values: [
        { value: '', label: 'Ask for every change' },
        { value: 'acceptEdits', label: 'Edit files without asking' },
        { value: 'plan', label: 'Plan only' },
      ],
    },
  },
  codex: {
    model: { flag: '--model', hint: 'for example gpt-5-codex' },
    mode: {
      flag: '--ask-for-approval',
      values: [
        { value: '', label: 'As configured' },
        { value: 'untrusted', label: 'Ask unless the command is trusted' },
        { value: 'on-request', label: 'Ask when it needs more rights' },
      ],
    },
  },
  gemini: GEMINI,
  qwen: GEMINI,
  opencode: { model: { flag: '--model', hint: 'provider/model' } },
  aider: { model: { flag: '--model' } },
}

export function optionsOf(agent: string): AgentOptions {
  return OPTIONS[agent] ?? {}
}

/** The arguments of the chosen model and mode, before those that a person wrote. */
export function argumentsOf(agent: string, chosen: { model: string; mode: string; args: string }): string[] {
  const { model, mode } = optionsOf(agent)
  const written = chosen.args.trim()
  return [
    ...(model && chosen.model.trim() !== '' ? [model.flag, chosen.model.trim()] : []),
    ...(mode && chosen.mode !== '' ? [mode.flag, chosen.mode] : []),
    ...(written === '' ? [] : written.split(/\s+/)),
  ]
}
