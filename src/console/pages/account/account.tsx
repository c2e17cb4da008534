/** The page "Your account": the person, the account, the password, sessions, and how the console looks. */
import { useState } from 'preact/hooks'
import { api, ApiError, dataOf } from '../../client/client'
import { useLoad } from '../../client/load'
import { refreshSession, useSignedIn } from '../../client/session'
import { formatDay, formatNumber } from '../../format'
import { Facts } from '../../parts/facts'
import { fieldError, Form, SelectField, TextField } from '../../parts/form'
import { isShortPassword, NewPasswordField } from '../../parts/new-password'
import { Card, Page } from '../../parts/page'
import { toast } from '../../parts/toast'
import { chooseTheme, theme, type Theme } from '../../theme'
import { chooseLanguage, language, words, type Language } from '../../words/words'
import { Sessions } from './sessions'

export default function Account() {
  const { navigation, account } = words.value
  const { person } = useSignedIn()
  const sessions = useLoad(() => dataOf(api.GET('/api/v1/sessions')), [])
  return (
    <Page title={navigation.account}>
      <div class="account-cards">
        <div class="stack">
          <Card title={account.you}>
            {/* Another tab may have changed them. */}
            <PersonForm key={`${person.name} ${person.email}`} />
          </Card>
          <AccountFacts />
          <Display />
        </div>
        <div class="stack">
          <Card title={account.password}>
            <PasswordForm onChanged={sessions.reload} />
          </Card>
          <Sessions of={sessions} />
        </div>
      </div>
    </Page>
  )
}

function PersonForm() {
  const { account } = words.value
  const { person } = useSignedIn()
  const [name, setName] = useState(person.name)
  const [email, setEmail] = useState(person.email)
  const [password, setPassword] = useState('')
  const isOtherEmail = email.trim() !== person.email
  const isSame = name.trim() === person.name && !isOtherEmail

  async function save(): Promise<void> {
    const changes = { name, ...(isOtherEmail && { email, current_password: password }) }
    try {
      await dataOf(api.PATCH('/api/v1/person', { body: changes }))
    } catch (error) {
      throw sayInWords(error)
    }
    setPassword('')
    toast(account.saved)
    await refreshSession()
  }

  return (
    <Form
      onSubmit={save}
      action={words.value.common.save}
      fields={['name', 'email', 'current_password']}
      isDisabled={isSame}
    >
      <p class="faint">{account.youText}</p>
      <TextField
        label={account.name}
        name="name"
        autocomplete="name"
        required
        maxLength={100}
        value={name}
        onValue={setName}
      />
      <TextField
        label={account.email}
        name="email"
        type="email"
        autocomplete="username"
        required
        value={email}
        onValue={setEmail}
      />
      {isOtherEmail && (
        <TextField
          label={account.passwordForEmail}
          name="current_password"
          type="password"
          autocomplete="current-password"
          required
          hint={account.passwordForEmailHint}
          value={password}
          onValue={setPassword}
        />
      )}
    </Form>
  )
}

function PasswordForm({ onChanged }: { readonly onChanged: () => void }) {
  const { account } = words.value
  const { person } = useSignedIn()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')

  async function change(): Promise<void> {
    try {
      const { ended } = await dataOf(
        api.POST('/api/v1/password', { body: { current_password: current, new_password: next } }),
      )
      toast(account.changed(ended))
    } catch (error) {
      throw sayInWords(error)
    }
    setCurrent('')
    setNext('')
    onChanged()
  }

  return (
    <Form
      onSubmit={change}
      action={account.change}
      fields={['current_password', 'new_password']}
      isDisabled={isShortPassword(next)}
    >
      <p class="faint">{account.passwordText}</p>
      {/* Programs that keep passwords need to know whose it is. */}
      <input hidden type="text" autocomplete="username" readOnly value={person.email} />
      <TextField
        label={account.current}
        name="current_password"
        type="password"
        autocomplete="current-password"
        required
        value={current}
        onValue={setCurrent}
      />
      <NewPasswordField label={account.new} name="new_password" value={next} onValue={setNext} />
    </Form>
  )
}

/** The refusals of this page that people meet, in the reader's language. */
function sayInWords(error: unknown): unknown {
  const { account } = words.value
  if (!(error instanceof ApiError)) return error
  const { status, param } = error
  if (status === 401 && param === 'current_password') return fieldError(param, account.wrong, error)
  if (status === 409 && param === 'email') return fieldError(param, account.emailTaken, error)
  return error
}

function AccountFacts() {
  const { account: said, common } = words.value
  const { account } = useSignedIn()
  return (
    <Card title={said.account}>
      <Facts
        of={[
          { name: said.accountName, value: account.name },
          { name: said.number, value: <span class="mono">{account.account_number.replace(/^\*+/, '… ')}</span> },
          { name: said.role, value: said.roles[account.role] },
          { name: said.plan, value: account.group === null ? said.planPublic : said.planOwn },
          { name: said.balance, value: common.characters(formatNumber(account.balance)) },
          { name: said.since, value: formatDay(account.created_at) },
        ]}
      />
    </Card>
  )
}

function Display() {
  const { account } = words.value
  return (
    <Card title={account.display}>
      <SelectField
        label={account.language}
        name="language"
        value={language.value}
        onValue={(next) => chooseLanguage(next as Language)}
        options={[
          { value: 'en', label: 'English' },
          { value: 'zh', label: '中文' },
        ]}
      />
      <SelectField
        label={account.theme}
        name="theme"
        value={theme.value}
        onValue={(next) => chooseTheme(next as Theme)}
        options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: account.themes[value] }))}
      />
    </Card>
  )
}
