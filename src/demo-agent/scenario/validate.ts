import {
  amount,
  anything,
  either,
  exactly,
  flag,
  isRecord,
  listOf,
  objectOf,
  oneOf,
  type Read,
  shorthand,
  text,
  words,
} from './schema.js'
import {
  ERROR_KINDS,
  LAYOUTS,
  MEANINGS,
  MENU_KINDS,
  type MenuOption,
  type MenuPage,
  type MenuSpec,
  type Scenario,
  type Step,
  type StepName,
  type StepTypes,
  type SubAgent,
  TODO_STATES,
  TOOL_KINDS,
  type TodoItem,
  type ToolStep,
  type Turn,
  VERDICTS,
} from './types.js'

const option: Read<MenuOption> = shorthand(
  objectOf<MenuOption>({ label: text, detail: text, meaning: oneOf(MEANINGS), placeholder: text }, ['label']),
  label => ({ label: String(label) }),
)
const page = objectOf<MenuPage>({ label: text, question: text, options: listOf(option), multi: flag }, [
  'label',
  'question',
  'options',
])
const menuFields = {
  kind: oneOf(MENU_KINDS),
  layout: oneOf(LAYOUTS),
  title: text,
  question: text,
  body: text,
  command: text,
  diff: objectOf<{ path: string; before: string; after: string }>({ path: text, before: text, after: text }, [
    'path',
    'before',
    'after',
  ]),
  options: listOf(option),
  multi: flag,
  freeText: text,
  columns: flag,
  window: amount,
  selected: amount,
  pages: listOf(page),
  footer: flag,
  lostEnters: amount,
  afterMs: amount,
  hookAfterMs: amount,
}
const menu = objectOf<MenuSpec>(menuFields, ['question'])
const file = objectOf<{ path: string; text: string }>({ path: text, text }, ['path', 'text'])
const tool = objectOf<ToolStep>(
  {
    name: text,
    kind: oneOf(TOOL_KINDS),
    summary: text,
    input: anything,
    command: words,
    write: file,
    append: file,
    edit: objectOf<{ path: string; find: string; replace: string }>({ path: text, find: text, replace: text }, [
      'path',
      'find',
      'replace',
    ]),
    read: objectOf<{ path: string }>({ path: text }, ['path']),
    output: text,
    ms: amount,
    exitCode: amount,
    permission: either(exactly(true), objectOf<Partial<MenuSpec>>(menuFields, [])),
    onDeny: oneOf(['stop', 'continue']),
    readOnly: flag,
    show: amount,
    subAgent: text,
  },
  ['name', 'kind'],
)
const todoItem = objectOf<TodoItem>({ text, status: oneOf(TODO_STATES) }, ['text', 'status'])
const subAgent = objectOf<SubAgent>({ name: text, task: text, ms: amount, tokens: amount, of: text }, [
  'name',
  'task',
  'ms',
])

const STEPS: { [Name in StepName]: Read<StepTypes[Name]> } = {
  think: shorthand(
    objectOf<StepTypes['think']>({ ms: amount, label: text, tokens: amount, thought: text }, ['ms']),
    ms => ({ ms }),
  ),
  say: shorthand(
    objectOf<StepTypes['say']>({ markdown: text, chunk: amount, delayMs: amount }, ['markdown']),
    markdown => ({ markdown }),
  ),
  tool,
  parallel: objectOf<StepTypes['parallel']>({ tools: listOf(tool) }, ['tools']),
  ask: menu,
  plan: objectOf<StepTypes['plan']>({ markdown: text, options: listOf(option) }, ['markdown']),
  todo: objectOf<StepTypes['todo']>({ items: listOf(todoItem) }, ['items']),
  agents: objectOf<StepTypes['agents']>({ agents: listOf(subAgent), wait: flag }, ['agents']),
  background: objectOf<StepTypes['background']>({ command: words, label: text }, ['command']),
  error: objectOf<StepTypes['error']>(
    {
      kind: oneOf(ERROR_KINDS),
      message: text,
      status: amount,
      retry: objectOf<{ attempts: number; delayMs: number }>({ attempts: amount, delayMs: amount }, [
        'attempts',
        'delayMs',
      ]),
      final: flag,
    },
    ['kind', 'message'],
  ),
  crash: objectOf<StepTypes['crash']>({ exit: amount, signal: text }, []),
  hang: objectOf<StepTypes['hang']>({ ms: amount }, []),
  zombie: objectOf<StepTypes['zombie']>({ end: oneOf(['hang', 'exit', 'signal']), exit: amount, signal: text }, [
    'end',
  ]),
  slow: objectOf<StepTypes['slow']>({ factor: amount }, ['factor']),
  huge: objectOf<StepTypes['huge']>({ lines: amount, bytes: amount, as: oneOf(['say', 'tool']) }, []),
  quote: objectOf<StepTypes['quote']>({ menu, as: oneOf(['say', 'code', 'tool']) }, ['menu']),
  compact: objectOf<StepTypes['compact']>({ ms: amount }, ['ms']),
  auth: objectOf<StepTypes['auth']>({ method: oneOf(['login', 'key', 'device', 'expired']), url: text, code: text }, [
    'method',
  ]),
  trust: objectOf<StepTypes['trust']>({ folder: text }, []),
  survey: shorthand(objectOf<StepTypes['survey']>({ question: text }, ['question']), question => ({ question })),
  title: shorthand(objectOf<StepTypes['title']>({ text }, ['text']), value => ({ text: value })),
  raw: objectOf<StepTypes['raw']>({ text, base64: text }, []),
  wait: shorthand(objectOf<StepTypes['wait']>({ ms: amount }, ['ms']), ms => ({ ms })),
  fork: objectOf<StepTypes['fork']>({ count: amount, ms: amount, detached: flag }, ['count']),
  ignoreTerm: objectOf<StepTypes['ignoreTerm']>({ on: flag }, ['on']),
  notice: shorthand(objectOf<StepTypes['notice']>({ text }, ['text']), value => ({ text: value })),
  usage: objectOf<StepTypes['usage']>(
    { input: amount, output: amount, costUsd: amount, contextWindow: amount, model: text },
    ['input', 'output'],
  ),
}

const step: Read<Step> = (value, path, problems) => {
  const names = isRecord(value) ? Object.keys(value) : []
  const name = names[0] as StepName | undefined
  if (names.length !== 1 || name === undefined || !Object.hasOwn(STEPS, name)) {
    problems.push(
      `${path}: expected an object with one step of ${Object.keys(STEPS).join(', ')}, got ${names.join(', ') || JSON.stringify(value)}`,
    )
    return undefined
  }
  const payload = STEPS[name]((value as Record<string, unknown>)[name], `${path}.${name}`, problems)
  return { [name]: payload } as unknown as Step
}

const matcher: Read<string> = (value, path, problems) => {
  const pattern = text(value, path, problems)
  if (pattern === undefined) return undefined
  try {
    compileMatch(pattern)
  } catch (error) {
    problems.push(`${path}: ${(error as Error).message}`)
  }
  return pattern
}

const turn = objectOf<Turn>({ name: text, match: matcher, steps: listOf(step) }, ['steps'])
const scenario = objectOf<Scenario>(
  {
    name: text,
    description: text,
    topic: text,
    placeholder: text,
    start: listOf(step),
    osc7501: flag,
    hooks: oneOf(['obeyed', 'ignored']),
    turns: listOf(turn),
    otherwise: turn,
    headless: objectOf<NonNullable<Scenario['headless']>>(
      { auto: flag, verdicts: listOf(oneOf(VERDICTS)), feedback: text },
      [],
    ),
  },
  ['name', 'turns'],
)

/** The scenario, or everything that is wrong with it, each problem with its JSON path. */
export function validateScenario(value: unknown): { scenario: Scenario } | { problems: string[] } {
  const problems: string[] = []
  const result = scenario(value, '', problems)
  return problems.length > 0 || result === undefined ? { problems } : { scenario: result }
}

export function compileMatch(pattern: string): (prompt: string) => boolean {
  const regex = /^\/(.*)\/([a-z]*)$/s.exec(pattern)
  if (regex) {
    const compiled = new RegExp(regex[1]!, regex[2]!.replace(/[gy]/g, ''))
    return prompt => compiled.test(prompt)
  }
  const wanted = pattern.toLowerCase()
  return prompt => prompt.toLowerCase().includes(wanted)
}
