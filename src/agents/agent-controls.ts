/** What is known of a session, as the API sends it. */
interface Controlled {
  agent: string
  args: readonly string[]
  /** What its screen shows. */
  mode?: string | undefined
  stats?: { model: string | null } | undefined
}

/** What an agent offers to change while it runs, and how: its own command, or its own key. */
interface AgentControls {
  /**
   * The command that chooses a model; with a name where the agent takes one, else it opens a menu.
   */
  model?: { command: string; takesName: boolean }
  /** The key that changes how much the agent asks. */
  mode?: { keys: string[]; label: string }
}

const CONTROLS: Readonly<Record<string, AgentControls>> = {
  claude: {
    model: { command: '/model', takesName: true },
    mode: { keys: ['shift-tab'], label: 'Next permission mode' },
  },
  codex: { model: { command: '/model', takesName: false } },
  gemini: {
    model: { command: '/model', takesName: false },
    mode: { keys: ['shift-tab'], label: 'Next approval mode' },
  },
  qwen: { model: { command: '/model', takesName: false }, mode: { keys: ['shift-tab'], label: 'Next approval mode' } },
  opencode: { model: { command: '/models', takesName: false }, mode: { keys: ['tab'], label: 'Next mode' } },
  aider: { model: { command: '/model', takesName: true } },
}

export function controlsOf({ agent }: Pick<Controlled, 'agent'>): AgentControls {
  return CONTROLS[agent] ?? {}
}

const MODE_OPTIONS = ['--permission-mode', '--approval-mode', '--ask-for-approval', '-a']
const MODEL_OPTIONS = ['--model', '-m']

/** The mode that the agent shows, else the one that it was started with; null: its default. */
export function modeOf({ mode, args }: Pick<Controlled, 'mode' | 'args'>): string | null {
  return mode ?? optionOf(args, MODE_OPTIONS)
}

/** The model that the agent reports, else the one that it was started with. */
export function modelOf({ stats, args }: Pick<Controlled, 'stats' | 'args'>): string | null {
  return stats?.model ?? optionOf(args, MODEL_OPTIONS)
}

function optionOf(args: readonly string[], names: readonly string[]): string | null {
  for (const [index, arg] of args.entries()) {
    if (names.includes(arg)) return args[index + 1] ?? null
    const [name, value] = arg.split('=', 2)
    if (value !== undefined && names.includes(name!)) return value
  }
  return null
}
