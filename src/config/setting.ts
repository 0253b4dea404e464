/** What a trusted project file may do with a setting: nothing, narrow it, or choose it freely. */
type ProjectMay = 'never' | 'narrow' | 'yes'

/**
 * The direction that restricts agents or adds checks. `later`: the values of an enum are listed
 * from wide to narrow. No limit (`null`, or 0 where 0 means that) is the widest value.
 */
type Narrower = 'lower' | 'higher' | 'off' | 'on' | 'subset' | 'later'

type SettingType = 'boolean' | 'integer' | 'number' | 'duration' | 'string' | 'enum' | 'strings' | 'table'

export interface Setting<T> {
  readonly type: SettingType
  /** `null` means none: no limit, no file, the agent's own choice. */
  readonly default: T
  readonly about: string
  readonly projectMay: ProjectMay
  readonly narrower?: Narrower
  readonly min?: number
  readonly max?: number
  /** The values of an enum, or the possible items of a list. */
  readonly values?: readonly string[]
  readonly pattern?: RegExp
  /** The pattern in words. */
  readonly form?: string
  /** 0 means no limit. */
  readonly isZeroUnlimited?: boolean
  /** For enums: the value that `null` is compared as when a project wants to narrow it. */
  readonly noneCountsAs?: string
  /** Only shown as set or unset. */
  readonly isSecret?: boolean
  /**
   * Files and flags must not contain it, so that a bot token is not in a settings file or an
   * argument list.
   */
  readonly isEnvironmentOnly?: boolean
}

export interface SettingOptions {
  project?: 'yes' | Narrower
  min?: number
  max?: number
  values?: readonly string[]
  pattern?: RegExp
  form?: string
  isZeroUnlimited?: boolean
  noneCountsAs?: string
  isSecret?: boolean
  isEnvironmentOnly?: boolean
}

type Optional<D, T> = null extends D ? T | null : T

function make<T>(type: SettingType, fallback: T, about: string, { project, ...rest }: SettingOptions): Setting<T> {
  const trust: Pick<Setting<T>, 'projectMay' | 'narrower'> = project === undefined
    ? { projectMay: 'never' }
    : project === 'yes'
      ? { projectMay: 'yes' }
      : { projectMay: 'narrow', narrower: project }
  return { type, default: fallback, about, ...trust, ...rest }
}

export function boolean(fallback: boolean, about: string, options: SettingOptions = {}): Setting<boolean> {
  return make('boolean', fallback, about, options)
}

export function integer<D extends number | null>(
  fallback: D,
  about: string,
  options: SettingOptions = {},
): Setting<Optional<D, number>> {
  return make<Optional<D, number>>('integer', fallback as Optional<D, number>, about, { min: 0, ...options })
}

export function number<D extends number | null>(
  fallback: D,
  about: string,
  options: SettingOptions = {},
): Setting<Optional<D, number>> {
  return make<Optional<D, number>>('number', fallback as Optional<D, number>, about, { min: 0, ...options })
}

/** In the unit of the key's suffix (`_ms _s …`), else seconds; "90s" is converted. */
export function duration<D extends number | null>(
  fallback: D,
  about: string,
  options: SettingOptions = {},
): Setting<Optional<D, number>> {
  return make<Optional<D, number>>('duration', fallback as Optional<D, number>, about, { min: 0, ...options })
}

export function string<D extends string | null>(
  fallback: D,
  about: string,
  options: SettingOptions = {},
): Setting<Optional<D, string>> {
  return make<Optional<D, string>>('string', fallback as Optional<D, string>, about, options)
}

export function oneOf<const V extends string, D extends NoInfer<V> | null>(
  values: readonly V[],
  fallback: D,
  about: string,
  options: SettingOptions = {},
): Setting<Optional<D, V>> {
  return make<Optional<D, V>>('enum', fallback as unknown as Optional<D, V>, about, { ...options, values })
}

export function strings(
  fallback: readonly string[],
  about: string,
  options: SettingOptions = {},
): Setting<readonly string[]> {
  return make('strings', fallback, about, options)
}

export function someOf<const V extends string>(
  values: readonly V[],
  fallback: readonly NoInfer<V>[],
  about: string,
  options: SettingOptions = {},
): Setting<readonly V[]> {
  return make<readonly V[]>('strings', fallback, about, { ...options, values })
}

export function table(about: string, options: SettingOptions = {}): Setting<Readonly<Record<string, string>>> {
  return make<Readonly<Record<string, string>>>('table', {}, about, options)
}
