import type { PipelineList } from '../api/types'
import { sentence } from '../store/toasts'
import type { ApiError } from '../transport/request'
import { NextStep } from '../ui/panel'

type Pipeline = PipelineList['items'][number]

type Field = NonNullable<Pipeline['inputSchema']['properties']>[string]
export type Inputs = Record<string, string | boolean | number>

/** Fields that hold more than a line. */
const LONG = /task|plan$|design|description|prompt/i
/** Fields that few people need. */
const RARE: ReadonlySet<string> = new Set([
  'design',
  'plan',
  'planOnly',
  'base',
  'branch',
  'model',
  'profile',
  'passes',
])

interface SchemaFieldsProps {
  pipeline: Pipeline | undefined
  values: Inputs
  /** Names and titles of installed agents. */
  agents: readonly { name: string; title: string }[]
  onChange(values: Inputs): void
}

/** A form that is generated from the pipeline's input schema. */
export function SchemaFields({ pipeline, values, agents, onChange }: SchemaFieldsProps) {
  const { properties = {}, required = [] } = pipeline?.inputSchema ?? {}
  // A form has no field for a list: programs give those.
  const fields = Object.entries(properties).filter(([, { type }]) => type !== 'array')
  const isRare = (name: string) => RARE.has(name) && !required.includes(name)
  const shown = (wanted: boolean) =>
    fields
      .filter(([name]) => isRare(name) === wanted)
      .map(([name, field]) => (
        <SchemaField
          key={name}
          name={name}
          field={name === 'agent' ? { ...field, enum: agents.map(agent => agent.name) } : field}
          titles={name === 'agent' ? new Map(agents.map(agent => [agent.name, agent.title])) : new Map()}
          isRequired={required.includes(name)}
          value={values[name]}
          onChange={value => onChange(withValue(values, name, value))}
        />
      ))
  return (
    <>
      {shown(false)}
      {fields.some(([name]) => isRare(name)) && (
        <details>
          <summary class="small soft">More options</summary>
          <div class="stack wide more-options">{shown(true)}</div>
        </details>
      )}
    </>
  )
}

/** An empty field is not sent. */
function withValue(values: Inputs, name: string, value: Inputs[string]): Inputs {
  const { [name]: _, ...others } = values
  return value === '' || value === false ? others : { ...others, [name]: value }
}

function SchemaField(props: {
  name: string
  field: Field
  titles: ReadonlyMap<string, string>
  isRequired: boolean
  value: Inputs[string] | undefined
  onChange(value: Inputs[string]): void
}) {
  const { name, field, titles, isRequired, value = '', onChange } = props
  const id = `in-${name}`
  const title = field.title ?? inWords(name)
  if (field.type === 'boolean')
    return (
      <label class="row">
        <input type="checkbox" checked={value === true} onChange={event => onChange(event.currentTarget.checked)} />{' '}
        {title}
      </label>
    )
  return (
    <div class="field">
      <label for={id}>
        {title}
        {isRequired ? '' : ' (optional)'}
      </label>
      {field.enum ? (
        <select id={id} class="input" value={String(value)} onChange={event => onChange(event.currentTarget.value)}>
          <option value="">As configured</option>
          {field.enum.map(choice => (
            <option key={choice} value={choice}>
              {titles.get(choice) ?? choice}
            </option>
          ))}
        </select>
      ) : LONG.test(name) ? (
        <textarea
          id={id}
          class="input"
          rows={4}
          dir="auto"
          value={String(value)}
          onInput={event => onChange(event.currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          class="input"
          inputMode={field.type === 'integer' ? 'numeric' : 'text'}
          value={String(value)}
          onInput={({ currentTarget: { value: typed } }) =>
            onChange(field.type === 'integer' && /^\d+$/.test(typed) ? Number(typed) : typed)
          }
        />
      )}
      {field.description && <span class="hint">{sentence(field.description)}</span>}
    </div>
  )
}

/** `planOnly` as “Plan only”. */
function inWords(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function FormProblem({ error }: { error: unknown }) {
  if (error === null) return null
  const { message, next, body } = error as ApiError
  return (
    <div class="empty problem" role="alert">
      <p class="strong">{sentence(message)}</p>
      {next && <NextStep text={next} />}
      {body?.fields?.map(field => (
        <p key={field.path} class="small">
          <code>{field.path}</code> {field.message}
        </p>
      ))}
    </div>
  )
}
