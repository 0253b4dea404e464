import { denyingOption, type ProposedDecision } from '../../approvals/index.js'
import type { Person } from '../../people/index.js'
import type { StreamAppend } from '../../store/index.js'
import type { CommandServices } from '../command-services.js'

type ChatAnswer = Pick<ProposedDecision, 'fingerprint' | 'option' | 'choices' | 'text' | 'note' | 'thenInterrupt'> & {
  isWhole: boolean
}

interface Decider {
  person: Person
  update: number
}

/**
 * Decides for a person in a chat. The number of the update is the idempotency key: the same update
 * again is the same decision. `extraAppends` names what must be written with it or not at all: the
 * used button.
 */
export async function decideFromChat(
  { host }: CommandServices,
  approval: string,
  { isWhole, ...answer }: ChatAnswer,
  { person: { id, name, role }, update }: Decider,
  extraAppends?: () => Promise<readonly StreamAppend[]>,
): Promise<void> {
  const { display } = await host.ledger.find(approval)
  await host.ledger.decide(
    approval,
    {
      ...answer,
      seen: { displayHash: display.hash, whole: isWhole },
      actor: { kind: 'person', id, name, role },
      surface: 'telegram',
      idempotencyKey: `telegram:${update}`,
    },
    extraAppends,
  )
}

/** Denies with the person's reason: as the text of the option that takes one, else as a note. */
export async function denyWithReason(
  services: CommandServices,
  { approval, fingerprint, reason }: { approval: string; fingerprint: string; reason: string },
  by: Decider,
  extraAppends?: () => Promise<readonly StreamAppend[]>,
): Promise<string> {
  const { request } = await services.host.ledger.find(approval)
  const deny = denyingOption(request.options)
  const takesText = deny === undefined || deny.meaning === 'deny-with-text'
  const answer = { ...(deny && { option: deny.key }), ...(takesText ? { text: reason } : { note: reason }) }
  await decideFromChat(services, approval, { fingerprint, ...answer, isWhole: true }, by, extraAppends)
  return 'Denied, with your reason'
}
