// Made by Tools/list-api-types from the hub's /openapi.json.

declare namespace Api {
  /** Members that the page adds to an entity. */
  interface Stored {
    /** Whether a write of it is pending. */
    waits?: boolean;
    /** Version of the record in which it was read. */
    seen?: string;
  }

  /** An entity of any kind. */
  type Entity = Stored & { id: string; incarnation?: number; [member: string]: any };

  /** Changed members of an entity (RFC 7396). */
  type Patch = Record<string, any>;

  /** A trip that has ended. */
  interface Trip extends Event {
    end_date: string;
  }

  /** A value of an event, by the key of its definition. */
  interface Property {
    type: string;
    value: any;
  }

  interface BrowserPairing {
    device_id: string;
    hub: string;
    person: string;
  }

  interface ChangePage {
    changes: Entry[];
    epoch?: string;
    epochs: {
      first: number;
      id: string;
    }[];
    has_more: boolean;
    head: number;
    next_cursor: number;
    now: number;
  }

  interface ChangePerson {
    id: string;
    name: string;
  }

  interface Companion {
    acked_through: number;
    companion_id: string;
    companion_name: string;
    held_through: number;
    id: string;
    removed: boolean;
    tracker_id: string;
    tracker_name: string;
  }

  interface Conflict extends Stored {
    author?: string | null;
    by?: string | null;
    created_at?: string;
    entity_id: string;
    entity_type: string;
    field: string;
    id: string;
    incarnation?: number;
    mutation_id?: string | null;
    reason: 'overwritten' | 'buried' | 'moved';
    stamp?: number | null;
    updated_at?: string;
    user_id?: string;
    value?: any | null;
  }

  interface CountEventsByDay {
    days: {
      counts: Record<string, number>;
      date: string;
    }[];
    first_date: string | null;
    levels: Record<string, number[]>;
    weekdays: Record<string, number>;
  }

  interface CreatePairingCode {
    code: string;
    expires_at: string;
    picture?: {
      link: string;
      path: string;
      size: number;
    };
  }

  interface CreateToken {
    device_id: string;
    name: string;
    token: string;
  }

  interface Device {
    created_at: string;
    current: boolean;
    id: string;
    name: string;
    report: {
      at: string;
      clock_ahead_s: number | null;
      oldest_at: string | null;
      version: string | null;
      waiting: number | null;
    } | null;
    seen_at: string | null;
  }

  interface Entry {
    created_at?: string;
    data?: Record<string, any>;
    deleted_at?: string;
    entity_id: string;
    entity_type: string;
    id: number;
    incarnation?: number;
    marks?: Record<string, any[]>;
    operation: 'create' | 'update' | 'delete';
  }

  interface Event extends Stored {
    created_at?: string;
    end_date?: string | null;
    event_type_id: string;
    external_id?: string | null;
    geofence_id?: string | null;
    healthkit_category?: string | null;
    healthkit_sample_id?: string | null;
    id: string;
    incarnation?: number;
    is_all_day?: boolean;
    location_latitude?: number | null;
    location_longitude?: number | null;
    location_name?: string | null;
    notes?: string | null;
    original_title?: string | null;
    properties?: Record<string, Property>;
    source_type?: string;
    time_zone?: string | null;
    timestamp: string;
    updated_at?: string;
    user_id?: string;
  }

  interface EventBatchResponse {
    created: Event[];
    errors?: {
      index: number;
      message: string;
    }[];
    failed: number;
    success: number;
    total: number;
  }

  interface EventType extends Stored {
    color: string;
    created_at?: string;
    goal?: {
      amount: number;
      bound: 'at_least' | 'at_most';
      measure: 'count' | 'duration';
      period: 'day' | 'week';
    } | null;
    icon: string;
    id: string;
    incarnation?: number;
    name: string;
    updated_at?: string;
    user_id?: string;
  }

  interface Explanation {
    decisions: {
      limit?: any;
      metres?: any;
      rule: string;
      seconds?: any;
      time: string;
      words?: string;
    }[];
    device_id: string;
    device_name: string;
    end?: string;
    id: string;
    personal: boolean;
    readings: number;
    settled: boolean;
    start: string;
  }

  interface FixedDay {
    counts: number[];
    gaps: {
      distance_m: number;
      from: string;
      to: string;
    }[];
    start: string;
    step_s: number;
  }

  interface Geofence extends Stored {
    color?: string | null;
    created_at?: string;
    event_type_entry_id?: string | null;
    event_type_exit_id?: string | null;
    id: string;
    incarnation?: number;
    is_active?: boolean;
    latitude: number;
    longitude: number;
    name: string;
    notify_on_entry?: boolean;
    notify_on_exit?: boolean;
    radius: number;
    role?: string | null;
    updated_at?: string;
    user_id?: string;
  }

  interface GetLiveRoute {
    route: string;
    start_place: {
      geofence_id: string | null;
      latitude: number;
      longitude: number;
      name: string | null;
    } | null;
  }

  interface GetStorage {
    bytes: number;
    quota_bytes: number | null;
    quota_rows: number | null;
    rows: number;
    stored_bytes: number | null;
  }

  interface GetStreaks {
    streaks: ({
      current: number;
      event_type_id: string;
      period: 'day' | 'week';
    })[];
  }

  interface GetTrip {
    detour: number | null;
    explanation: Explanation | null;
    next: Event | null;
    previous: Event | null;
    speed: {
      standing_s: number;
      start: string;
      step_s: number;
      steps: ({
        latitude: number;
        longitude: number;
        mps: number | null;
      })[];
      stops: ({
        end: string;
        latitude: number;
        longitude: number;
        name: string | null;
        start: string;
      })[];
      top_mps: number;
    } | null;
    summaries: TripSummary[];
    trip: Event;
  }

  interface GetWitnesses {
    witnesses: {
      counted_id: string;
      id: string;
    }[];
  }

  interface Goals {
    goals: ({
      amount: number;
      event_type_id: string;
      from: string;
      is_excused: boolean;
      is_met: boolean;
      left: number;
      streak: number | null;
      target: number;
      through: string;
    })[];
    today: string;
  }

  interface Habits {
    habits: ({
      event_type_id: string;
      score: number | null;
      streak: {
        current: number;
        longest: number;
        longest_end: string | null;
        period: 'day' | 'week';
      } | null;
      usual: {
        from: number;
        share: number;
        through: number;
      } | null;
    })[];
    today: string;
  }

  interface Import {
    id: string;
    import: {
      finished_at: string | null;
      format: string;
      made: Record<string, number>;
      undone_at: string | null;
    } | null;
    left?: number;
    part_bytes?: number;
    preview?: {
      bad: number;
      examples: Record<string, any>[];
      first: string | null;
      format: string;
      format_name: string;
      known: number;
      known_readings: number;
      last: string | null;
      new: Record<string, number>;
      new_readings: number;
      other_zone: string | null;
      problems: string[];
      remarks: string[];
      skipped: Record<string, number>;
      types: {
        count: number;
        is_new: boolean;
        name: string;
        new: number;
      }[];
    };
    problem?: Problem;
    read?: number;
    received?: number;
    removed?: number;
    result?: {
      bad: number;
      examples: Record<string, any>[];
      first: string | null;
      format: string;
      format_name: string;
      known: number;
      known_readings: number;
      last: string | null;
      new: Record<string, number>;
      new_readings: number;
      other_zone: string | null;
      problems: string[];
      remarks: string[];
      skipped: Record<string, number>;
      types: {
        count: number;
        is_new: boolean;
        name: string;
        new: number;
      }[];
    };
    size?: number;
    source: string;
    started_at: string;
    state: 'receiving' | 'reading' | 'ready' | 'writing' | 'done' | 'interrupted' | 'undoing' | 'undone' | 'failed';
  }

  interface Insights {
    days: number;
    first_date: string | null;
    needs_days: number;
    relations: ({
      adjusted_p: number;
      confidence: 'low' | 'medium' | 'high';
      days: number;
      first: string;
      lag_days: number;
      p: number;
      r: number;
      second: string;
      sentence: string;
    })[];
    today: string;
    types: ({
      basis: {
        active_days: number;
        days: number;
        events: number;
        from: string;
        through: string;
      };
      event_type_id: string;
      name: string;
      pattern: {
        events: number;
        grid: number[][];
        hour: {
          confidence: 'low' | 'medium' | 'high';
          consistency: number;
          peak: number;
          share: number;
        } | null;
        needs_events: number;
        usual: {
          from: number;
          share: number;
          through: number;
        } | null;
        weekday: {
          confidence: 'low' | 'medium' | 'high';
          consistency: number;
          peak: number;
          share: number;
        } | null;
      };
      score: number | null;
      streak: {
        current: number;
        longest: number;
        longest_end: string | null;
        period: 'day' | 'week';
      } | null;
      trend: {
        before: number;
        change: number | null;
        direction: 'up' | 'down' | 'steady' | 'new';
        recent: number;
        sentence: string;
      } | null;
      week: {
        before: number;
        direction: 'up' | 'down' | 'steady' | 'new';
        from: string;
        now: number;
        percent: number | null;
        through: string;
      };
    })[];
    words: string[];
  }

  interface LatestCursor {
    cursor: number;
    epoch?: string;
    epochs: {
      first: number;
      id: string;
    }[];
    head: number;
    now: number;
  }

  interface ListTripSummaries {
    trips: TripSummary[];
  }

  interface LiveTrips {
    left_out?: Record<string, any>[];
    now: string;
    trips: {
      device_id: string;
      device_name: string;
      distance_m: number;
      fixed?: string;
      id: string;
      mode: string;
      paused: boolean;
      speed_mps?: number;
      start: string;
    }[];
  }

  interface MergeEventTypes {
    events: number;
  }

  interface Mileage {
    months: {
      business_m: number;
      month: number;
      private_m: number;
      total_m: number;
      trips: number;
      unclassified_m: number;
    }[];
    odometers: ({
      ignored: number;
      name: string;
      stretches: {
        deviation: number;
        driven_m: number;
        from: {
          date: string;
          odometer_m: number;
        };
        to: {
          date: string;
          odometer_m: number;
        };
        trips_m: number;
        warning: boolean;
      }[];
      vehicle_id: string;
      warning: boolean;
      whole: {
        deviation: number;
        driven_m: number;
        from: {
          date: string;
          odometer_m: number;
        };
        to: {
          date: string;
          odometer_m: number;
        };
        trips_m: number;
        warning: boolean;
      } | null;
    })[];
    rows: ({
      business_m: number | null;
      category: string | null;
      distance_m: number;
      end: string;
      end_odometer_m: number | null;
      from: string;
      id: string;
      notes: string;
      rule: string | null;
      start: string;
      start_odometer_m: number | null;
      to: string;
      vehicle: string;
    })[];
    total: {
      business_m: number;
      private_m: number;
      total_m: number;
      trips: number;
      unclassified_m: number;
    };
    vehicle_id: string | null;
    vehicles: ({
      business_m: number;
      name: string;
      private_m: number;
      total_m: number;
      trips: number;
      unclassified_m: number;
      vehicle_id: string | null;
    })[];
    year: number;
    years: number[];
    zone: string;
  }

  interface Notice {
    at: string;
    data?: Record<string, any>;
    kind: string;
    seq: number;
  }

  interface NoticesResponse {
    has_more: boolean;
    notices: Notice[];
  }

  interface Outcome {
    lost?: string[];
    problem?: Problem;
    retry_after_s?: number;
    seq: number;
    status: 'accepted' | 'merged' | 'refused' | 'try_later';
    version?: number;
  }

  interface PairResponse {
    device_id: string;
    hub?: string;
    person: string;
    token: string;
  }

  interface PlaceInsights {
    here_since: string | null;
    last_enter: string | null;
    last_exit: string | null;
    today_s: number;
    weeks: {
      from: string;
      seconds: number;
      through: string;
      visits: number;
    }[];
  }

  interface Problem {
    detail?: string;
    instance?: string;
    request_id?: string;
    status: number;
    title: string;
    type: string;
  }

  interface PropertyDefinition extends Stored {
    created_at?: string;
    default_value?: any | null;
    display_order?: number;
    event_type_id: string;
    id: string;
    incarnation?: number;
    key: string;
    label: string;
    options?: string[] | null;
    property_type: string;
    updated_at?: string;
    user_id?: string;
  }

  interface PushResponse {
    epoch?: string;
    epochs: {
      first: number;
      id: string;
    }[];
    head: number;
    now: number;
    outcomes: Outcome[];
  }

  interface SearchEvents {
    events: Event[];
    next: string | null;
    trips: TripSummary[];
  }

  interface Session {
    device?: {
      id: string;
      name: string;
    };
    has_people: boolean;
    hub: string;
    paired: boolean;
    person?: {
      id: string;
      name: string;
    };
    tiles?: {
      address: string;
      credit: string;
      deepest: number;
    };
  }

  interface Setting extends Stored {
    created_at?: string;
    id: string;
    incarnation?: number;
    key: string;
    updated_at?: string;
    user_id?: string;
    value?: any | null;
  }

  interface ShowSplit {
    at: string;
    first: {
      distance_m: number;
      end: string;
      end_place: {
        geofence_id: string | null;
        latitude: number;
        longitude: number;
        name: string | null;
      } | null;
      start: string;
      start_place: {
        geofence_id: string | null;
        latitude: number;
        longitude: number;
        name: string | null;
      } | null;
    };
    second: {
      distance_m: number;
      end: string;
      end_place: {
        geofence_id: string | null;
        latitude: number;
        longitude: number;
        name: string | null;
      } | null;
      start: string;
      start_place: {
        geofence_id: string | null;
        latitude: number;
        longitude: number;
        name: string | null;
      } | null;
    };
  }

  interface Skip extends Stored {
    created_at?: string;
    event_type_id: string;
    from: string;
    id: string;
    incarnation?: number;
    note?: string | null;
    to: string;
    updated_at?: string;
    user_id?: string;
  }

  interface SplitTrip {
    trips: Event[];
  }

  interface Status {
    status: string;
    version: string;
  }

  interface SyncSummary {
    counts: Record<string, number>;
    device_id: string;
    epoch?: string;
    epochs: {
      first: number;
      id: string;
    }[];
    head: number;
    horizon: number;
    kinds: Record<string, {
      count: number;
      hash: string;
    }>;
    last_seq: number;
    now: number;
    person: string;
  }

  interface TripSummary {
    end_place: {
      geofence_id: string | null;
      latitude: number;
      longitude: number;
      name: string | null;
    } | null;
    id: string;
    speed_mps: number | null;
    start_place: {
      geofence_id: string | null;
      latitude: number;
      longitude: number;
      name: string | null;
    } | null;
  }

  interface TypeActions {
    types: ({
      action: 'log' | 'ask' | 'start' | 'stop';
      built_in: boolean;
      event_type_id: string;
    })[];
  }

  interface TypeInsights {
    findings: {
      basis: {
        active_days: number;
        days: number;
        events: number;
        from: string;
        through: string;
      };
      event_type_id: string;
      name: string;
      pattern: {
        events: number;
        grid: number[][];
        hour: {
          confidence: 'low' | 'medium' | 'high';
          consistency: number;
          peak: number;
          share: number;
        } | null;
        needs_events: number;
        usual: {
          from: number;
          share: number;
          through: number;
        } | null;
        weekday: {
          confidence: 'low' | 'medium' | 'high';
          consistency: number;
          peak: number;
          share: number;
        } | null;
      };
      score: number | null;
      streak: {
        current: number;
        longest: number;
        longest_end: string | null;
        period: 'day' | 'week';
      } | null;
      trend: {
        before: number;
        change: number | null;
        direction: 'up' | 'down' | 'steady' | 'new';
        recent: number;
        sentence: string;
      } | null;
      week: {
        before: number;
        direction: 'up' | 'down' | 'steady' | 'new';
        from: string;
        now: number;
        percent: number | null;
        through: string;
      };
    } | null;
    points: ({
      events: number;
      from: string;
      lower: number | null;
      mean: number | null;
      through: string;
      upper: number | null;
    })[];
    properties: ({
      distribution: {
        lower: number;
        maximum: number;
        mean: number;
        median: number;
        minimum: number;
        upper: number;
      } | null;
      events: number;
      key: string;
      label: string;
      others: number;
      parts: ({
        end: number | null;
        events: number;
        share: number;
        value: any;
      })[];
      property_type: string;
    })[];
    properties_of: number;
    today: string;
  }

  interface UnmergeEventTypes {
    events: number;
  }

  interface Vehicle extends Stored {
    archived?: boolean;
    color?: string | null;
    created_at?: string;
    device_ids?: string[] | null;
    icon?: string | null;
    id: string;
    incarnation?: number;
    is_default?: boolean;
    name: string;
    notes?: string | null;
    start_odometer_m?: number | null;
    updated_at?: string;
    user_id?: string;
  }

  /** Response to a request, by method and path. */
  type AnswerTo<Request extends string> =
    Request extends `GET /changes/latest-cursor` ? LatestCursor :
    Request extends `GET /events/days` ? CountEventsByDay :
    Request extends `GET /events/search` ? SearchEvents :
    Request extends `GET /insights/goals` ? Goals :
    Request extends `GET /insights/habits` ? Habits :
    Request extends `GET /insights/streaks` ? GetStreaks :
    Request extends `GET /insights/types` ? TypeActions :
    Request extends `GET /me/devices` ? Device[] :
    Request extends `GET /me/live` ? LiveTrips :
    Request extends `GET /me/storage` ? GetStorage :
    Request extends `GET /me/sync` ? SyncSummary :
    Request extends `GET /mileage/witnesses` ? GetWitnesses :
    Request extends `POST /events/batch` ? EventBatchResponse :
    Request extends `POST /me/pairing-codes` ? CreatePairingCode :
    Request extends `POST /me/tokens` ? CreateToken :
    Request extends `GET /changes` ? ChangePage :
    Request extends `GET /companions` ? Companion[] :
    Request extends `GET /conflicts` ? Conflict[] :
    Request extends `GET /event-types` ? EventType[] :
    Request extends `GET /events` ? Event[] :
    Request extends `GET /fixes` ? FixedDay :
    Request extends `GET /geofences` ? Geofence[] :
    Request extends `GET /health` ? Status :
    Request extends `GET /imports` ? Import[] :
    Request extends `GET /insights` ? Insights :
    Request extends `GET /mileage` ? Mileage :
    Request extends `GET /openapi.json` ? Record<string, any> :
    Request extends `GET /property-definitions` ? PropertyDefinition[] :
    Request extends `GET /ready` ? Status :
    Request extends `GET /session` ? Session :
    Request extends `GET /settings` ? Setting[] :
    Request extends `GET /skips` ? Skip[] :
    Request extends `GET /trips` ? ListTripSummaries :
    Request extends `GET /vehicles` ? Vehicle[] :
    Request extends `PATCH /me` ? ChangePerson :
    Request extends `POST /companions` ? Companion :
    Request extends `POST /event-types` ? EventType :
    Request extends `POST /events` ? Event :
    Request extends `POST /geofences` ? Geofence :
    Request extends `POST /imports` ? Import :
    Request extends `POST /mutations` ? PushResponse :
    Request extends `POST /pair` ? PairResponse :
    Request extends `POST /property-definitions` ? PropertyDefinition :
    Request extends `POST /session` ? BrowserPairing :
    Request extends `POST /settings` ? Setting :
    Request extends `POST /skips` ? Skip :
    Request extends `POST /trips` ? Event :
    Request extends `POST /vehicles` ? Vehicle :
    Request extends `GET /me/live/${string}/route` ? GetLiveRoute :
    Request extends `GET /companions/${string}/notices` ? NoticesResponse :
    Request extends `GET /event-types/${string}/properties` ? PropertyDefinition[] :
    Request extends `GET /insights/places/${string}` ? PlaceInsights :
    Request extends `GET /insights/types/${string}` ? TypeInsights :
    Request extends `GET /me/explanations/${string}` ? Explanation :
    Request extends `GET /trips/${string}/split` ? ShowSplit :
    Request extends `POST /companions/${string}/notices` ? Companion :
    Request extends `POST /event-types/${string}/merge` ? MergeEventTypes :
    Request extends `POST /event-types/${string}/properties` ? PropertyDefinition :
    Request extends `POST /event-types/${string}/restore` ? EventType :
    Request extends `POST /event-types/${string}/unmerge` ? UnmergeEventTypes :
    Request extends `POST /events/${string}/restore` ? Event :
    Request extends `POST /events/${string}/stop` ? Event :
    Request extends `POST /geofences/${string}/restore` ? Geofence :
    Request extends `POST /imports/${string}/commit` ? Import :
    Request extends `POST /imports/${string}/preview` ? Import :
    Request extends `POST /imports/${string}/undo` ? Import :
    Request extends `POST /property-definitions/${string}/restore` ? PropertyDefinition :
    Request extends `POST /settings/${string}/restore` ? Setting :
    Request extends `POST /skips/${string}/restore` ? Skip :
    Request extends `POST /trips/${string}/merge` ? Event :
    Request extends `POST /trips/${string}/split` ? SplitTrip :
    Request extends `POST /vehicles/${string}/odometer` ? Event :
    Request extends `POST /vehicles/${string}/restore` ? Vehicle :
    Request extends `GET /event-types/${string}` ? EventType :
    Request extends `GET /events/${string}` ? Event :
    Request extends `GET /geofences/${string}` ? Geofence :
    Request extends `GET /imports/${string}` ? Import :
    Request extends `GET /property-definitions/${string}` ? PropertyDefinition :
    Request extends `GET /settings/${string}` ? Setting :
    Request extends `GET /skips/${string}` ? Skip :
    Request extends `GET /trips/${string}` ? GetTrip :
    Request extends `GET /vehicles/${string}` ? Vehicle :
    Request extends `PATCH /event-types/${string}` ? EventType :
    Request extends `PATCH /events/${string}` ? Event :
    Request extends `PATCH /geofences/${string}` ? Geofence :
    Request extends `PATCH /property-definitions/${string}` ? PropertyDefinition :
    Request extends `PATCH /settings/${string}` ? Setting :
    Request extends `PATCH /skips/${string}` ? Skip :
    Request extends `PATCH /trips/${string}` ? Event :
    Request extends `PATCH /vehicles/${string}` ? Vehicle :
    any;

  /** Response to a request whose path may have a query. */
  type Answer<Method extends string, Path extends string> = AnswerTo<
    Path extends `${infer Bare}?${string}` ? `${Method} ${Bare}` : `${Method} ${Path}`
  >;
}
