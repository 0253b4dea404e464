import { type DecisionRequest, denyingOption } from '../../approvals/index.js'
import type { Person } from '../../people/index.js'
import type { StreamAppend } from '../../store/index.js'
import type { Desk } from '../command-services.js'

/**
 * A decision of a person in a chat. The update's own number is its name: the same update again is the same decision, and what must be
 * written with it (the used button) is written with it or not at all.
 */
export async function decideHere(
  desk: Desk,
  approval: string,
  answer: Pick<DecisionRequest, 'fingerprint' | 'option' | 'choices' | 'text' | 'note' | 'thenInterrupt'> & {
    isWhole: boolean
  },
  by: { person: Person; update: number },
  along?: () => Promise<readonly StreamAppend[]>,
): Promise<void> {
  const { isWhole, ...rest } = answer
  const record = await desk.host.ledger.find(approval)
  await desk.host.ledger.decide(
    approval,
    {
      ...rest,
      seen: { displayHash: record.display.hash, whole: isWhole },
      actor: { kind: 'person', id: by.person.id, name: by.person.name, role: by.person.role },
      surface: 'telegram',
      idempotencyKey: `telegram:${by.update}`,
    },
    along,
  )
}

/** Denies with the person's own words: a note, which reaches the agent by whatever way there is; else the option that takes them. */
export async function denyWith(
  desk: Desk,
  approval: string,
  fingerprint: string,
  text: string,
  by: { person: Person; update: number },
  along?: () => Promise<readonly StreamAppend[]>,
): Promise<string> {
  const { request } = await desk.host.ledger.find(approval)
  const deny = denyingOption(request.options)
  const takesText = deny?.meaning === 'deny-with-text'
  const answer = deny ? { option: deny.key, ...(takesText ? { text } : { note: text }) } : { text }
  await decideHere(desk, approval, { fingerprint, ...answer, isWhole: true }, by, along)
  return 'Denied, with your reason: being applied…'
}
