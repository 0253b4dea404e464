import type { PipelineList } from '../api/types'
import { sentence } from '../store/toasts'
import type { ApiError } from '../transport/request'
import { NextStep } from '../ui/panel'

export type Pipeline = PipelineList['items'][number]

/** Fields that hold more than a line. */
const LONG = /issue|task|plan$|design|description|prompt/i

/** A form that is generated from the pipeline's input schema. */
export function SchemaFields(props: {
  pipeline: Pipeline | undefined
  values: Record<string, string>
  onChange(values: Record<string, string>): void
}) {
  const { properties = {}, required = [] } = props.pipeline?.inputSchema ?? {}
  return (
    <>
      {Object.entries(properties).map(([name, field]) => (
        <div class="field" key={name}>
          <label for={`in-${name}`}>
            {field.title ?? inWords(name)}
            {required.includes(name) ? '' : ' (optional)'}
          </label>
          {field.enum ? (
            <select
              id={`in-${name}`}
              class="input"
              value={props.values[name] ?? ''}
              onChange={event => props.onChange({ ...props.values, [name]: event.currentTarget.value })}
            >
              <option value="">–</option>
              {field.enum.map(value => (
                <option key={value}>{value}</option>
              ))}
            </select>
          ) : (
            <textarea
              id={`in-${name}`}
              class="input"
              rows={LONG.test(name) ? 4 : 1}
              value={props.values[name] ?? ''}
              onInput={event => props.onChange({ ...props.values, [name]: event.currentTarget.value })}
            />
          )}
          {field.description && <span class="hint">{field.description}</span>}
        </div>
      ))}
    </>
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

export function DirectoryField(props: { value: string; placeholder: string; onChange(value: string): void }) {
  return (
    <div class="field">
      <label for="cwd">Directory</label>
      <input
        id="cwd"
        class="input code"
        list="projects"
        placeholder={props.placeholder || '/home/you/project'}
        value={props.value}
        onInput={event => props.onChange(event.currentTarget.value)}
      />
    </div>
  )
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
