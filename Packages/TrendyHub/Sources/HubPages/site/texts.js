// Every word that the pages say, so that a translation is one file. Dates and numbers come from the browser's locale.

const plural = new Intl.PluralRules('en');
const number = new Intl.NumberFormat();

/** @param {number} n */
export const count = (n) => number.format(n);
/**
 * `2.50`: always with so many decimals.
 * @param {number} n
 * @param {number} digits
 */
export const fixed = (n, digits) =>
  n.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
/**
 * `120`, or `12K` where it is large and room is short.
 * @param {number} n
 */
export const shortCount = (n) =>
  n < 10_000 ? count(n) : new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }).format(n);
/**
 * `1 entry`, `12 entries`.
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export const some = (n, one, many = `${one}s`) => `${count(n)} ${plural.select(n) === 'one' ? one : many}`;
/**
 * `coffee, mood and run`.
 * @param {string[]} parts
 */
const listed = (parts) => new Intl.ListFormat('en', { type: 'conjunction' }).format(parts);

/**
 * `Mondays`. The browser's locale names days: a name of another language is not bent as one of this.
 * @param {string} day
 */
const each = (day) => (number.resolvedOptions().locale.startsWith('en') ? `${day}s` : day);

/**
 * `America/New York`; an offset as people write it, where the name has the sign of POSIX (`Etc/GMT-9` is ahead).
 * @param {string} zone
 */
export const zoneText = (zone) =>
  zone
    .replace(/^Etc\/GMT([+-])(\d+)$/, (_, sign, hours) => `UTC${sign === '-' ? '+' : '−'}${hours}`)
    .replaceAll('_', ' ');

export const words = {
  nav: {
    today: 'Today',
    timeline: 'Timeline',
    calendar: 'Calendar',
    insights: 'Insights',
    trips: 'Trips',
    mileage: 'Mileage',
    places: 'Places',
    types: 'Types',
    devices: 'Devices',
    data: 'Data',
    settings: 'Settings',
    more: 'More',
    skip: 'Skip to content',
    pages: 'Pages',
    /** @param {number} n */
    allTypes: (n) => (n === 1 ? 'All types' : `All ${some(n, 'type')}`),
  },
  act: {
    log: 'Log',
    start: 'Start',
    stop: 'Stop',
    undo: 'Undo',
    edit: 'Edit',
    delete: 'Delete',
    save: 'Save',
    cancel: 'Cancel',
    add: 'Add',
    addEntry: 'Add an entry',
    search: 'Search',
    table: 'Table',
    chart: 'Chart',
    csv: 'CSV',
    json: 'JSON',
    tryAgain: 'Try again',
    close: 'Close',
    copy: 'Copy',
    copied: 'Copied',
    putAside: 'Put aside',
    remove: 'Remove',
    earlier: 'Earlier',
    later: 'Later',
    clear: 'Clear',
    discard: 'Discard',
    keepEditing: 'Keep editing',
    /** @param {number} n */
    showMore: (n) => `Show ${n} more`,
  },
  sync: {
    good: 'Everything is on the hub',
    notLive: 'Not live just now',
    /** @param {string} time */
    last: (time) => `Last change ${time}`,
    none: 'Live',
    /**
     * @param {number} n
     * @param {string} age
     */
    waiting: (n, age) => `${count(n)} waiting, oldest ${age}`,
    /**
     * @param {number} n
     * @param {number} all
     */
    sending: (n, all) => `Sending ${count(n)} of ${count(all)}`,
    sent: 'All sent',
    /** @param {string} time */
    offline: (time) => `Offline since ${time}.`,
    /** @param {number} n */
    waitHere: (n) => (n ? `${some(n, 'entry waits', 'entries wait')} here.` : 'What you record waits here.'),
    asOf: 'This page may be behind. It tries again by itself.',
    revoked: 'This browser was removed from the hub.',
    signedOut: 'This browser is signed out.',
    /** @param {number} n */
    stillHere: (n) => (n ? `${some(n, 'entry is', 'entries are')} still here.` : 'Pair it again to go on.'),
    pairAgain: 'Pair again',
    toFile: 'Save them to a file',
    look: 'Look',
    checking: 'Checking for unsent entries',
    checkingWords: 'This takes a moment.',
    noStore: 'This browser stores nothing.',
    noStoreWords: 'Entries are sent at once. Without the hub nothing can be recorded here.',
    /** @param {string} reason */
    refused: (reason) => `The hub refused this: ${reason}`,
    /**
     * @param {string} length
     * @param {boolean} isAhead
     */
    clock: (length, isAhead) => `This browser’s clock is ${length} ${isAhead ? 'ahead of' : 'behind'} the hub’s.`,
    clockWords: 'What is logged here gets its time.',
  },
  refused: {
    entity_deleted: 'It was deleted on another device.',
    parent_deleted: 'What it belongs to was deleted on another device.',
    restored: 'It was deleted and restored on another device in the meantime.',
    duplicate: 'It exists already.',
    idempotency_key_reused: 'The hub has received another version of this change.',
    other_person: 'This browser is now paired as another user.',
    restore: 'Restore it with this change',
    asNew: 'Log as a new entry',
    saveAsNew: 'Save as a new one',
  },
  leftovers: {
    title: 'Unsent entries of another user',
    toFile: 'Save to a file',
    discard: 'Discard',
    later: 'Keep them here',
    /**
     * @param {number} n
     * @param {string} name
     */
    words: (n, name) =>
      `${some(n, 'change')} of ${name || 'another user'} ${n === 1 ? 'was' : 'were'} never sent from this browser. ` +
      `${n === 1 ? 'It is' : 'They are'} not sent to your record.`,
    keepWords: 'Kept entries are sent when that user pairs this browser again.',
  },
  toast: {
    /**
     * @param {string} type
     * @param {string} time
     */
    logged: (type, time) => `${type} logged at ${time}`,
    /** @param {string} type */
    started: (type) => `${type} started`,
    /**
     * @param {string} type
     * @param {string} length
     */
    stopped: (type, length) => `${type} stopped after ${length}`,
    saved: 'Saved',
    deleted: 'Deleted',
    undone: 'Undone',
    redone: 'Done again',
    nothing: 'Nothing to undo',
    waits: 'Waits until the hub is back',
    /** @param {string} what */
    deletedOne: (what) => `${what} deleted`,
    undoKey: 'Press U to undo.',
  },
  today: {
    /** @param {number} n */
    entries: (n) => `${some(n, 'entry', 'entries')} so far.`,
    none: 'Nothing today so far.',
    noTypes: 'Nothing to log yet. Choose what you want to keep track of.',
    choose: 'Choose types',
    soFar: 'So far today',
    /** @param {number} n */
    week: (n) => `${count(n)} this week`,
    /** @param {number} n */
    streak: (n) => `Streak ${some(n, 'day')}.`,
    /** @param {number} n */
    inARow: (n) => `${some(n, 'day')} in a row`,
    /** @param {number} n */
    daysShort: (n) => `${count(n)} d`,
    /** @param {string} time */
    usually: (time) => `usually ${time}`,
    /**
     * @param {string} name
     * @param {number} n
     * @param {number} of
     */
    moved: (name, n, of) => `${name} is tile ${count(n)} of ${count(of)}`,
    /** @param {number} n */
    weekShort: (n) => `${count(n)}/wk`,
    /** @param {string} time */
    since: (time) => `since ${time}`,
    running: 'running',
    notLately: 'not lately',
    notYet: 'not yet',
    now: 'Now',
    devices: 'Devices',
    thisBrowser: 'This browser',
    /** @param {number} n */
    allDevices: (n) => `All ${count(n)}`,
    lastTypes: 'Tiles',
    /**
     * @param {string} name
     * @param {number} n
     * @param {string} last
     * @param {number} week
     */
    tile: (name, n, last, week) =>
      `Log ${name}. ${count(n)} today${last ? `, last ${last}` : ''}. ${count(week)} this week.`,
    /**
     * @param {string} name
     * @param {string} length
     */
    stopTile: (name, length) => `Stop ${name}, running ${length}`,
    /** @param {string} name */
    more: (name) => `${name}, more`,
    /** @param {string} from */
    driving: (from) => `On the way since ${from}`,
    /** @param {string} place */
    drivingFrom: (place) => `Driving from ${place}`,
    paused: 'Paused. It ends at the next stop.',
  },
  goal: {
    /**
     * @param {string} n
     * @param {string} of
     */
    week: (n, of) => `${n} of ${of} this week`,
    /** @param {string} n */
    least: (n) => `Goal ${n}`,
    /** @param {string} n */
    most: (n) => `Goal ${n} at most`,
    /**
     * @param {string} n
     * @param {string} of
     */
    weekShort: (n, of) => `${n}/${of}`,
    /** @param {string} short */
    aWeek: (short) => `${short} this week`,
    excused: 'Days off',
    left: 'Left today',
    /**
     * @param {string} n
     * @param {string} of
     */
    of: (n, of) => `${n} of ${of} left`,
    /** @param {string[]} names */
    done: (names) => `${listed(names)} ${names.length === 1 ? 'is' : 'are'} done.`,
    goal: 'Goal',
    amount: 'How much',
    none: 'empty for none',
    bound: 'Which way',
    least1: 'at least',
    most1: 'at most',
    measure: 'Of what',
    times: 'times',
    minutes: 'minutes',
    period: 'How often',
    day: 'a day',
    week1: 'a week',
    bad: 'A whole number from 0 to 1,000,000.',
  },
  timeline: {
    empty: 'Nothing was recorded on this day.',
    search: 'Search notes, types, places',
    all: 'All',
    /**
     * @param {number} n
     * @param {number} trips
     * @param {string} km
     */
    summary: (n, trips, km) => `${some(n, 'entry', 'entries')}${trips ? `, ${some(trips, 'trip')}, ${km}` : ''}.`,
    /** @param {string} time */
    until: (time) => `until ${time}`,
    /** @param {string} time */
    from: (time) => `from ${time}`,
    /**
     * @param {string} time
     * @param {string} zone
     */
    there: (time, zone) => `${time} in ${zoneText(zone).split('/').pop()}`,
    /** @param {string} text */
    nothingHas: (text) => `Nothing has “${text}” in it.`,
    /**
     * @param {number} n
     * @param {string} text
     */
    found: (n, text) => `${some(n, 'entry', 'entries')} with “${text}”`,
    more: 'and more',
    day: 'day',
    week: 'Days of this week',
    band: 'The day as a band',
    places: 'Places',
    trips: 'Trips',
    events: 'Events',
    trip: 'Trip',
    show: 'Show',
    fixes: 'Fixes',
    why: 'Why?',
    fillIn: 'Fill in',
    /** @param {string} time */
    noFixes: (time) => `No fixes until ${time}`,
    /**
     * @param {string} length
     * @param {string} way
     */
    missing: (length, way) => `${length} missing, ${way} apart`,
    /**
     * @param {number} n
     * @param {string} length
     */
    gaps: (n, length) =>
      n === 0 ? 'No gaps.' : n === 1 ? `One gap of ${length}.` : `${count(n)} gaps, ${length} in all.`,
    /**
     * @param {string} a
     * @param {string} b
     */
    way: (a, b) => `${a} to ${b}`,
    somewhere: 'somewhere',
  },
  calendar: {
    month: 'Month',
    quarter: 'Quarter',
    year: 'Year',
    noGoal: 'no goal, so no streak',
    now: 'now',
    longest: 'longest',
    score: 'score',
    view: 'How much',
    skipped: 'skipped',
    before: 'before the first entry',
    future: 'to come',
    first: 'The first entry starts the calendar.',
    /** @param {string} time */
    begin: (time) => `Days begin at ${time}.`,
    midnight: 'Days begin at midnight.',
    /**
     * @param {number} n
     * @param {number} of
     */
    days: (n, of) => `${count(n)} of ${some(of, 'day')}.`,
    /** @param {string} day */
    mostOn: (day) => `Most on ${each(day)}.`,
    /** @param {number} n */
    inAll: (n) => `${some(n, 'entry', 'entries')} in all.`,
    /** @param {number} n */
    skips: (n) => `${some(n, 'day')} skipped.`,
    /**
     * @param {string} day
     * @param {number} n
     */
    cell: (day, n) => `${day}: ${n ? some(n, 'entry', 'entries') : 'none'}`,
    types: 'Types to show',
    none: 'none',
    /** @param {number} n */
    others: (n) => `${count(n)} more`,
  },
  type: {
    /** @param {string} when */
    last: (when) => (when.startsWith('last ') ? `${when[0].toUpperCase()}${when.slice(1)}.` : `Last ${when}.`),
    never: 'No entry yet.',
    edit: 'Edit type',
    today: 'today',
    /** @param {number} n */
    month: (n) => `${count(n)} in the last 28 days`,
    all: 'All',
    /** @param {string} name */
    first: (name) => `Log ${name}`,
    entriesA: { day: 'Entries a day', week: 'Entries a week', month: 'Entries a month' },
    directions: {
      /**
       * @param {string} a
       * @param {string} b
       */
      up: (a, b) => `Rising: ${a} a day in the last 14 days, ${b} in the 14 before.`,
      /**
       * @param {string} a
       * @param {string} b
       */
      down: (a, b) => `Falling: ${a} a day in the last 14 days, ${b} in the 14 before.`,
      /**
       * @param {string} a
       * @param {string} b
       */
      steady: (a, b) => `Steady: ${a} a day in the last 14 days, ${b} in the 14 before.`,
      /** @param {string} a */
      new: (a) => `New: ${a} a day in the last 14 days, none in the 14 before.`,
    },
    tooFew: 'After 28 days it can be told whether it rises.',
    meanOf: { day: 'mean of 14 days', week: 'mean of 4 weeks', month: 'mean of 3 months' },
    middleOf: {
      day: 'half of the last 28 days',
      week: 'half of the last 12 weeks',
      month: 'half of the last 12 months',
    },
    aDay: 'a day',
    last14: 'last 14 days',
    before14: 'on the 14 before',
    thisWeek: 'this week',
    dayUnit: 'day',
    daysUnit: 'days',
    /** @param {string} month */
    since: (month) => `since ${month}`,
    /** @param {number} n */
    inAll: (n) => `${some(n, 'entry', 'entries')} in all`,
    /** @param {string} value */
    mostly: (value) => `Mostly ${value}.`,
    /**
     * @param {number} n
     * @param {number} of
     */
    have: (n, of) => `${count(n)} of ${some(of, 'entry has', 'entries have')} one.`,
    /**
     * @param {string} from
     * @param {string} to
     */
    half: (from, to) => (from === to ? `Half of them are ${from}.` : `Half of them lie from ${from} to ${to}.`),
    others: 'others',
    /**
     * @param {string} from
     * @param {string} to
     */
    stretch: (from, to) => `${from} to ${to}`,
    /** @param {number} n */
    percent: (n) => `${count(n)} %`,
    lastEntries: 'Last entries',
    when: 'When',
    /** @param {number} n */
    streak: (n) => `streak, longest ${count(n)}`,
    score: 'score of 100',
    range: 'How far back',
    newType: 'New type',
    allTypes: 'All types',
    name: 'Name',
    colour: 'Colour',
    glyph: 'Glyph',
    properties: 'Properties',
    addProperty: 'Add a property',
    unitHint: 'A unit goes in brackets behind the name: Weight (kg).',
    label: 'Name',
    kind: 'Kind',
    options: 'Choices, separated by commas',
    noProperties: 'None. An entry is a time and a note.',
    /**
     * @param {string} name
     * @param {number | null} n
     */
    deleteWords: (name, n) => {
      const entries = n === null ? 'entries' : some(n, 'entry', 'entries');
      const loss =
        n === 0 ? `${name} has no entries.` : `Deleting ${name} deletes its ${entries} too, on all your devices.`;
      return `${loss} Type its name to go on.`;
    },
    /**
     * @param {number} n
     * @param {string} name
     */
    sameName: (n, name) => `${n} types are named ${name}.`,
    merge: 'Merge into…',
    mergeInto: 'It becomes',
    mergeChoose: 'Choose a type',
    mergeGo: 'Merge',
    /** @param {number | null} n */
    merging: (n) => (n ? `Moving ${some(n, 'entry', 'entries')}…` : 'Moving its entries…'),
    /**
     * @param {string} from
     * @param {string} into
     * @param {number | null} n
     */
    mergeWords: (from, into, n) =>
      `${from} goes, and ${n === null ? 'its entries' : some(n, 'entry', 'entries')} become${n === 1 ? 's' : ''} ` +
      `${into || 'those of another type'}. Days off, places and properties go along.`,
    /**
     * @param {string} from
     * @param {string} into
     * @param {number} n
     */
    merged: (from, into, n) => `${from} is ${into} now, with ${some(n, 'entry', 'entries')}`,
    deleteType: 'Delete type',
    ownColour: 'Own',
    signHint: 'or a sign of your own',
    kinds: {
      text: 'Text',
      number: 'Number',
      boolean: 'Yes or no',
      date: 'Date',
      select: 'Choice',
      duration: 'Length of time',
      url: 'Link',
      email: 'E-mail address',
    },
  },
  daysOff: {
    title: 'Days off',
    words: 'Nothing is expected on them: no streak breaks, and no goal is missed.',
    from: 'From',
    to: 'To',
    types: 'Of',
    why: 'Why',
    whyHint: 'holiday, flu',
    noTypes: 'Choose a type at least.',
    known: 'Set before',
  },
  form: {
    when: 'When',
    until: 'Until',
    addEnd: 'Add an end',
    allDay: 'All day',
    note: 'Note',
    place: 'Place',
    source: 'Recorded',
    /**
     * @param {string} zone
     * @param {string} there
     */
    recordedIn: (zone, there) => `Recorded in ${zoneText(zone)}, where it was ${there}`,
    what: 'What would you like to log?',
    searchTypes: 'Search types',
    yes: 'yes',
    no: 'no',
    unsaid: 'not said',
    required: 'Needs a value.',
    badNumber: 'This is not a number.',
    badLength: 'Write it like 1h30m, 90 or 1:30.',
    occurrence: 'Which of the two',
    /** @param {string} offset */
    firstTime: (offset) => `Before the clocks go back (UTC${offset})`,
    /** @param {string} offset */
    secondTime: (offset) => `After the clocks went back (UTC${offset})`,
    badTime: 'This time cannot be read.',
    endBefore: 'The end is before the start.',
    badLink: 'A link begins with http:// or https://.',
    optional: 'not said',
    /** @param {string} name */
    makeType: (name) => `Make “${name}”`,
    add: 'add',
    less: 'less',
    unsaved: 'Not saved yet',
  },
  sources: {
    manual: 'by hand',
    imported: 'from a file',
    geofence: 'by a place',
    healthkit: 'from Health',
    trip: 'by a drive',
  },
  insights: {
    range: 'How far back',
    /** @param {number} n */
    days: (n) => `${count(n)} d`,
    year: '1 y',
    nowhereElse: 'Computed on your hub, nowhere else.',
    /**
     * @param {number} n
     * @param {string} from
     */
    basis: (n, from) => `From ${some(n, 'day')}, ${from} to today.`,
    none: 'Nothing recorded yet. Insights begin with the first entries.',
    together: 'What moves together',
    /** @param {number} n */
    needsDays: (n) => `${count(n)} more ${n === 1 ? 'day' : 'days'} of two types, then this can be told.`,
    /**
     * @param {string} a
     * @param {string} b
     */
    tied: (a, b) => `${a} and ${b} are tied most. A tie is not a cause.`,
    nothing: 'No two types move together clearly. That is an answer too.',
    /**
     * @param {string} a
     * @param {string} b
     */
    pair: (a, b) => `${a} and ${b}`,
    sameDay: 'same day',
    nextDay: 'next day',
    confidence: { high: 'high', medium: 'medium', low: 'low' },
    /**
     * @param {string} word
     * @param {number} n
     */
    rests: (word, n) => `${word}, ${some(n, 'day')}`,
    week: 'This week and last',
    wholeWeek: 'This week, against the last one.',
    /**
     * @param {string} from
     * @param {string} to
     */
    partWeek: (from, to) => `${from} to ${to}, against the same part of last week.`,
    quietWeeks: 'Nothing in these two weeks.',
    new: 'new',
    same: 'same',
    mark: 'the mark is last week',
    against: 'last week',
    patterns: 'Patterns',
    inWords: 'The week in words',
    /**
     * @param {number} n
     * @param {number} of
     */
    rhythm: (n, of) =>
      n
        ? `${count(n)} of ${some(of, 'type')} ${n === 1 ? 'keeps' : 'keep'} a rhythm. ` +
          'The stronger the colour, the more often.'
        : 'No type keeps a rhythm yet. Darker is more often.',
    /** @param {number} n */
    needsEvents: (n) => `${some(n, 'more entry', 'more entries')}, then a pattern can be told.`,
    /**
     * @param {string} from
     * @param {string} to
     */
    usually: (from, to) => (from === to ? `Usually at ${from}.` : `Usually ${from} to ${to}.`),
    /**
     * @param {string} from
     * @param {string} to
     * @param {number} share
     */
    peak: (from, to, share) => `Most from ${from} to ${to}, ${count(share)} %.`,
    /**
     * @param {string} day
     * @param {number} share
     */
    bestDay: (day, share) => `Most on ${each(day)}, ${count(share)} %.`,
    /**
     * @param {string} value
     * @param {string} word
     * @param {number} n
     */
    consistency: (value, word, n) => `Consistency ${value}, ${word}, of ${some(n, 'entry', 'entries')}.`,
    /** @param {number} n */
    noRhythm: (n) => `No rhythm in ${some(n, 'entry', 'entries')}.`,
    streaks: 'Streaks',
    /**
     * @param {string} name
     * @param {number} n
     */
    longestNow: (name, n) => `${name} has been logged ${count(n)} days in a row.`,
    noStreak: 'No type was logged two days in a row up to today.',
    /** @param {number} n */
    longest: (n) => `longest ${count(n)}`,
    /**
     * @param {number} n
     * @param {number} of
     * @param {string} from
     */
    recorded: (n, of, from) => `on ${count(n)} of ${some(of, 'day')} since ${from}`,
    /** @param {number} n */
    score: (n) => `Score ${count(n)} of 100`,
  },
  trips: {
    none: 'No trips this month.',
    connect: 'Connect a phone',
    never: 'No trips yet. They appear when a phone sends its position while you drive.',
    appear: 'They appear when a phone sends its position while you drive.',
    /** @param {string} day */
    latest: (day) => `The last one was on ${day}.`,
    /**
     * @param {number} n
     * @param {string} km
     */
    summary: (n, km) => `${some(n, 'trip')}, ${km}.`,
    /** @param {number} n */
    decide: (n) => `${count(n)} to decide.`,
    toDecide: 'decide',
    distance: 'distance',
    length: 'from start to end',
    average: 'average',
    top: 'top',
    business: 'Business',
    private: 'Private',
    mixed: 'Mixed',
    kind: 'Kind',
    noRoute: 'This trip was added without a route.',
    map: 'Route on a map',
    keys: 'Arrow keys move the map, plus and minus change its scale, 0 shows all of it.',
    in: 'Closer',
    out: 'Farther',
    add: 'Add a trip',
    /** @param {string} unit */
    lengthIn: (unit) => `Distance (${unit})`,
    byRules: 'by rules',
    needsStart: 'With where it ended goes where it began.',
    /** @param {string} km */
    added: (km) => `Trip of ${km} added`,
    noneOf: 'No trips with this vehicle in this month.',
    detour: 'detour',
    split: 'Split',
    splitDone: 'Trip split',
    cutAt: 'When it is split',
    cutHint: 'Press on the route, pull its mark, or choose the time.',
    needsHub: 'The hub does not answer. It is needed for this: nothing was changed.',
    merge: 'Merge',
    mergeTitle: 'Make one trip of two',
    mergeHint: 'What lies between them is taken for a straight line. The notes of both are kept.',
    mergeDone: 'Trips merged',
    before: 'The trip before',
    after: 'The trip after',
    ends: 'Ends',
    from: 'From',
    to: 'To',
    name: 'Name it',
    rename: 'Rename',
    nameTitle: 'Name this place',
    nameHint: 'A circle of 100 m around it. Trips and visits that touch it are called by this name.',
    /** @param {string} name */
    renameTitle: (name) => `Rename ${name}`,
    renameHint: 'Everywhere, on all your devices.',
    /** @param {string} unit */
    businessPart: (unit) => `Business part (${unit})`,
    /** @param {string} all */
    badPart: (all) => `From 0 to ${all}.`,
    /** @param {string} rule */
    rule: (rule) => `by rule “${rule}”`,
    list: 'Trips of the month',
  },
  speed: {
    title: 'Speed',
    /** @param {string} length */
    without: (length) => `no fixes, ${length}`,
    time: 'time',
    speed: 'speed',
    where: 'where',
    gap: 'no fixes',
    hint: 'Point at the strip, or use the arrow keys: a dot on the map shows where.',
    /** @param {string} top */
    fastest: (top) => `At most ${top}.`,
    /**
     * @param {string} stops
     * @param {string} length
     */
    stops: (stops, length) => `${stops}, ${length} in all.`,
    noStops: 'No stop of a minute or more.',
    /**
     * @param {string} length
     * @param {string} place
     */
    stopped: (length, place) => `stopped for ${length}${place ? ` at ${place}` : ''}`,
  },
  mileage: {
    /** @param {number} year */
    title: (year) => `Mileage ${year}`,
    print: 'Print',
    vehicle: 'Vehicle',
    all: 'All vehicles',
    noVehicle: 'Without a vehicle',
    /** @param {number} year */
    none: (year) => `No trips in ${year}.`,
    /** @param {string} km */
    undecided: (km) => `${km} are not decided yet.`,
    driven: 'driven',
    share: 'of it business',
    byMonth: 'By month',
    byVehicle: 'By vehicle',
    month: 'Month',
    trips: 'Trips',
    sum: 'Driven',
    open: 'Not decided',
    /**
     * @param {string} month
     * @param {string} km
     */
    most: (month, km) => `Most in ${month}, ${km}.`,
    /**
     * @param {string} month
     * @param {string} all
     * @param {string} business
     * @param {string} own
     */
    cell: (month, all, business, own) => `${month}: ${all}, ${business} business, ${own} private`,
    odometer: 'Odometer',
    noReadings: 'has no two odometer readings yet.',
    logReading: 'Log a reading',
    /** @param {string} unit */
    reads: (unit) => `The odometer says (${unit})`,
    /**
     * @param {string} name
     * @param {string} length
     */
    logged: (name, length) => `${name} at ${length}`,
    warning: 'More than 2 % apart.',
    warningWords: 'The trips do not account for what the odometer says. Look at these days:',
    look: 'Show trips',
    /**
     * @param {string} stands
     * @param {string} day
     * @param {string} driven
     * @param {string} trips
     * @param {string} apart
     */
    says: (stands, day, driven, trips, apart) =>
      `stood at ${stands} on ${day}. It says ${driven} were driven, the trips say ${trips}: ${apart} apart.`,
    /**
     * @param {string} km
     * @param {string} apart
     */
    missing: (km, apart) => `${km} are missing (${apart}).`,
    /**
     * @param {string} km
     * @param {string} apart
     */
    tooMany: (km, apart) => `trips are ${km} too long (${apart}).`,
    /** @param {number} n */
    ignored: (n) => `${some(n, 'reading')} below an earlier one ${n === 1 ? 'is' : 'are'} passed over.`,
    log: 'Trips',
    date: 'Date',
    rule: 'Rule',
    person: 'Name',
    period: 'Period',
    /** @param {number} year */
    wholeYear: (year) => `1 January to 31 December ${year}`,
    printed: 'Printed on',
    place: 'Place and date',
    signature: 'Signature',
  },
  why: {
    title: 'Why this trip',
    unknown: 'Nothing is kept here of how it was found: it was recorded by hand, or found by the device itself.',
    /**
     * @param {number} n
     * @param {string} device
     */
    from: (n, device) => `From ${some(n, 'reading')}${device ? ` of ${device}` : ''}.`,
    itself: 'The device itself said when the drive began and when it was over.',
    open: 'Fixes to come may still change it.',
    personal: 'You changed it since: it stays as you left it.',
  },
  places: {
    none: 'No places yet. A place is a circle on the ground that notices when you come and go.',
    add: 'Add a place',
    newPlace: 'New place',
    map: 'Places on a map',
    radius: 'Radius',
    metres: 'm',
    latitude: 'Latitude',
    longitude: 'Longitude',
    noVisits: 'No visit was noticed here yet.',
    active: 'Notices when you come and go',
    off: 'off',
    record: 'Records a visit as',
    nothing: 'nothing',
    visits: 'Last visits',
    hours: 'Hours a week',
    /** @param {string} when */
    here: (when) => `Here since ${when}.`,
    /**
     * @param {string} came
     * @param {string} left
     */
    lastVisit: (came, left) =>
      `${came ? `Last came ${came}${left ? `, left ${left}` : ''}.` : left ? `Last left ${left}.` : ''}`,
    /**
     * @param {string} now
     * @param {string} before
     */
    weekly: (now, before) => `${now} this week, ${before} the week before.`,
    badLatitude: 'From −90 to 90.',
    badLongitude: 'From −180 to 180.',
    badRadius: 'From 50 to 10,000 m.',
  },
  devices: {
    /** @param {string} when */
    seen: (when) => `last here ${when}`,
    never: 'not here yet',
    nothingWaits: 'nothing waits',
    /** @param {number} n */
    waitingHere: (n) => `${count(n)} waiting`,
    clockRight: 'clock right',
    /**
     * @param {string} length
     * @param {boolean} isAhead
     */
    clockOff: (length, isAhead) => `clock ${length} ${isAhead ? 'ahead' : 'behind'}`,
    token: 'Connect an app',
    tokenName: 'What it is called',
    tokenWords:
      'An app that cannot take a code, such as OwnTracks, Overland, GPSLogger or Traccar, comes in by a token.',
    tokenGo: 'Make a token',
    /** @param {string} name */
    tokenMade: (name) =>
      `${name} may come in by this token. It is shown this once; enter it as the password, or as a bearer token.`,
    tokenWhere: 'Where it sends to, of OwnTracks, Overland, GPSLogger and Traccar:',
    pair: 'Pair a device',
    revoke: 'Remove',
    thisOne: 'this browser',
    /** @param {string} when */
    since: (when) => `paired ${when}`,
    picture: 'QR code of the address and the code',
    noPicture:
      'This address is for this machine alone. For another, and for a QR code, open these pages under a name that it ' +
      'can reach too, or tell the hub its address by:',
    /** @param {string} address */
    codeWords: (address) => `In a browser on the other device, open ${address} and enter this code.`,
    commandWords: 'Or on its command line, type:',
    /** @param {string} length */
    lives: (length) => `It works once, for ${length} more.`,
    waiting: 'Waiting for the device…',
    over: 'The code is too old now.',
    another: 'Make another',
    /** @param {string} name */
    came: (name) => `${name} is in.`,
    /** @param {string} name */
    revokeWords: (name) =>
      `${name} can no longer ask this hub. What waits on it stays there, and goes out when it is paired again.`,
    conflicts: 'Conflicts',
    noConflicts: 'No conflicts.',
    conflictWords:
      'Two devices wrote the same thing without knowing of each other. The later one counts; this is what it replaced.',
    useOld: 'Use this',
    resolve: 'Keep what is there',
    waits: 'Waiting in this browser',
    refused: 'Refused by the hub',
    /** @param {string} name */
    removed: (name) => `${name} removed`,
    leave: 'Leave this hub',
    leaveWords: 'This browser forgets everything it kept of you, and needs a new code to come back.',
    gone: 'something deleted',
  },
  data: {
    takeOut: 'Take out',
    from: 'From',
    to: 'To',
    type: 'Of',
    allTypes: 'All types',
    form: 'As',
    entriesWords: 'What was recorded from one day to another, or all of it where no day is said.',
    download: 'Download',
    making: 'Being written…',
    /** @param {string} name */
    taken: (name) => `${name} is downloaded`,
    forms: {
      csv: 'A table of entries that any spreadsheet opens, and that can be brought in again.',
      json: 'Entries as programs read them.',
      ics: 'Entries as a calendar.',
      gpx: 'Tracks of what devices posted to this hub, for maps.',
    },
    nothing: { events: 'Nothing was recorded in that time.', gpx: 'This hub has no fixes of that time.' },
    bringIn: 'Bring in',
    backups: 'Backups',
    own: 'Your record',
    ownWords: 'Everything of yours on this hub, in one file (NDJSON). Bring it in here, or by trendy import.',
    backUp: 'Back up now',
    hubWords: 'The whole hub, with everybody and their devices, is backed up on its machine, while it runs:',
  },
  bringIn: {
    choose: 'Choose a file',
    drop: 'Drop a file here',
    formats: 'CSV, calendars, Apple Health, Google, GPX and many more. It is shown before anything is written.',
    another: 'Another file',
    stop: 'Stop',
    discard: 'Discard',
    emptyFile: 'This file is empty.',
    broken: 'It broke off.',
    interrupted: 'What was written before that stays. The same file again completes it.',
    /**
     * @param {string} n
     * @param {string} of
     */
    sending: (n, of) => `Sending ${n} of ${of}`,
    reading: 'Reading it. Nothing is written.',
    writing: 'Bringing it in',
    undoing: 'Taking it back',
    /**
     * @param {number} n
     * @param {number} known
     * @param {number} bad
     */
    counts: (n, known, bad) => `${count(n)} new, ${count(known)} known${bad ? `, ${count(bad)} not understood` : ''}.`,
    nothingYet: 'Nothing is written yet.',
    /** @param {number} n */
    take: (n) => (n ? `Bring in ${count(n)}` : 'Bring in'),
    nothing: 'Nothing new',
    newType: 'new type',
    asNew: 'as a new type',
    asItself: 'as it is called',
    /** @param {string} name */
    as: (name) => `as ${name}`,
    /** @param {string} name */
    bringAs: (name) => `${name}: bring in`,
    /**
     * @param {number} n
     * @param {number} known
     */
    typeCounts: (n, known) => `${count(n)} new${known ? `, ${count(known)} known` : ''}`,
    examples: 'The first of them, as they would look',
    /** @param {number} n */
    leftOut: (n) => `Left out: ${count(n)}`,
    zone: 'Times that name no zone are of',
    /** @param {string} zone */
    otherZone: (zone) =>
      `This file was imported before with the time zone ${zone}. ` +
      'With another zone, each entry is recorded a second time.',
    again: 'Import it all the same',
    dayFirst: 'Day first',
    monthFirst: 'Month first',
    /**
     * @param {string} from
     * @param {string} to
     */
    range: (from, to) => (from === to ? from : `${from} to ${to}`),
    /** @param {string[]} parts */
    also: (parts) => `Also ${listed(parts)}.`,
    /** @param {number} n */
    fixes: (n) => `${some(n, 'position')} for trips and places.`,
    /**
     * @param {number} n
     * @param {number} known
     */
    brought: (n, known) => `${some(n, 'entry', 'entries')} brought in${known ? `, ${count(known)} known before` : ''}.`,
    allKnown: '0 brought in. All of it is here already.',
    /** @param {string} format */
    holdsNothing: (format) => `0 brought in. The file is ${format}, and holds nothing to bring in.`,
    /**
     * @param {number} removed
     * @param {number} left
     */
    undone: (removed, left) =>
      `Taken back: ${count(removed)}.${left ? ` ${count(left)} stay, as they were edited since or are in use.` : ''}`,
    earlier: 'Earlier imports',
    /** @param {number} n */
    made: (n) => some(n, 'entry', 'entries'),
    wasUndone: 'taken back',
    wasInterrupted: 'broke off',
    kinds: {
      /** @param {number} n */
      event_type: (n) => some(n, 'type'),
      /** @param {number} n */
      property_definition: (n) => some(n, 'property', 'properties'),
      /** @param {number} n */
      geofence: (n) => some(n, 'place'),
      /** @param {number} n */
      vehicle: (n) => some(n, 'vehicle'),
      /** @param {number} n */
      trip_rule: (n) => some(n, 'trip rule'),
      /** @param {number} n */
      setting: (n) => some(n, 'setting'),
      /** @param {number} n */
      skip: (n) => `${some(n, 'range')} of days off`,
    },
  },
  settings: {
    days: 'Days',
    dayStart: 'A day begins at',
    dayHint: 'What you record before belongs to the day before.',
    weekStart: 'A week begins on',
    units: 'Units',
    lengths: 'Lengths',
    clock: 'Clock',
    look: 'Look',
    theme: 'Theme',
    system: 'System',
    light: 'Light',
    dark: 'Dark',
    keys: 'Single keys',
    keysHint: 'Such as L to log. Press ? to see them all.',
    you: 'You',
    name: 'Name',
    zone: 'Time zone',
    /** @param {string} zone */
    zoneHere: (zone) => `As this browser (${zone})`,
    zoneHint: 'Of the days and times on these pages, in all your browsers.',
    /** @param {string} name */
    renamed: (name) => `You are ${name} now`,
    map: 'Map',
    noTiles: 'Maps have blank ground. On the machine of the hub, tiles are named by:',
    /** @param {string} credit */
    tiles: (credit) => `Maps have tiles below them${credit ? `: ${credit}` : ''}.`,
    hub: 'Hub',
    browser: 'This browser',
    stop: 'A stop ends a trip after',
    /** @param {number} n */
    minutes: (n) => `${n} min`,
    /** @param {string} most */
    ofMost: (most) => `of ${most} at most`,
    entries: 'Kept for you',
    content: 'What is in them',
    notPersistent:
      'This browser may delete pending entries when it runs out of space: it refused to keep them. ' +
      'Sync often, or install this page as an app.',
    disk: 'On the disk of the hub',
    stopHint: 'From the next drive on. Trips that were found stay as they are.',
    byLocale: 'as here',
    all: 'The same on all your devices.',
  },
  pair: {
    noPerson: 'This hub has no person yet',
    noPersonWords: 'On the machine where it runs, type:',
    title: 'Pair this browser',
    where: 'On a device that is already in, open Devices. Or on the machine of the hub, type:',
    code: 'Code',
    go: 'Pair',
    wrong: 'This code is wrong, was used, or is older than ten minutes.',
    placeholder: '0000-0000',
    look: 'Look again',
  },
  first: {
    title: 'What would you like to keep track of?',
    sentence: 'Choose a few. You can change all of it later.',
    choose: 'Choose one at least.',
    go: 'Begin',
    own: 'My own',
    leave: 'Leave this',
    /** @param {number} n */
    step: (n) => `Step ${n} of 3`,
    next: 'Next',
    log: 'Log the first one',
    logWords: 'One press logs it now. What you log by mistake is taken back by Undo.',
    past: 'Bring your past',
    pastWords: 'What you kept in another app until now, from a file.',
    later: 'Later',
    done: 'Done',
  },
  keys: {
    title: 'Keys',
    list: [
      ['?', 'these keys'],
      ['L', 'log'],
      ['/', 'search'],
      ['U', 'undo'],
      ['Shift U', 'do it again'],
      ['1 – 9', 'on Today: log that tile'],
      ['E  Delete', 'edit the tile or row in focus, delete the row'],
      ['Alt arrows', 'on Today: move the tile'],
      ['[  ]', 'earlier, later'],
      ['.', 'today'],
      ['B  P', 'on Trips: business, private, and on to the next'],
      ['G then T L C I R M P D', 'Today, Timeline, Calendar, Insights, Trips, Mileage, Places, Devices'],
      ['Ctrl Enter', 'save the form'],
      ['Esc', 'close'],
    ],
  },
  error: {
    title: 'This part of the page failed',
    notRecorded: 'Nothing was recorded: this browser cannot store entries, and the hub cannot be reached.',
    words: 'Your data is untouched.',
    request: 'request',
    missing: 'No such day, type or trip here. It may have been deleted.',
    away: 'The hub cannot be reached, and this browser has not kept this page.',
  },
};
