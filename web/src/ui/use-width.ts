import { signal } from '@preact/signals'

const phone = matchMedia('(max-width: 639px)')

export const isPhone = signal(phone.matches)

phone.addEventListener('change', () => {
  isPhone.value = phone.matches
})
