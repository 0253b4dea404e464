import type { Setting } from './setting.js'

/** Whether a project's value is at least as restrictive as the user's. Equal values are. */
export function isNarrowEnough(setting: Setting<unknown>, own: unknown, wanted: unknown): boolean {
  switch (setting.narrower) {
    case 'lower':
      return limitOf(setting, wanted) <= limitOf(setting, own)
    case 'higher':
      return limitOf(setting, wanted) >= limitOf(setting, own)
    case 'off':
      return wanted === false || own === true
    case 'on':
      return wanted === true || own === false
    case 'subset':
      return (wanted as readonly string[]).every(item => (own as readonly string[]).includes(item))
    case 'later':
      return rankOf(setting, wanted) >= rankOf(setting, own)
    default:
      return setting.projectMay === 'yes'
  }
}

export function describeNarrower(setting: Setting<unknown>): string {
  switch (setting.narrower) {
    case 'lower':
      return 'lower it'
    case 'higher':
      return 'raise it'
    case 'off':
      return 'turn it off'
    case 'on':
      return 'turn it on'
    case 'subset':
      return 'leave items out'
    case 'later':
      return `choose a narrower one of ${setting.values!.join(' > ')}`
    default:
      return setting.projectMay === 'yes' ? 'choose it' : 'not set it'
  }
}

function limitOf({ isZeroUnlimited }: Setting<unknown>, value: unknown): number {
  return value === null || (isZeroUnlimited && value === 0) ? Number.POSITIVE_INFINITY : (value as number)
}

function rankOf({ values, noneCountsAs }: Setting<unknown>, value: unknown): number {
  return values!.indexOf((value ?? noneCountsAs ?? values![0]) as string)
}
