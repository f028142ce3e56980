/// Tables and JSON arrays that the programs of watches, rings and scales export.
extension TableProfile {
  private init(
    _ word: String, _ type: String?, _ required: [String], later: [String]? = nil, _ roles: [Role: [String]],
    _ renamed: [String: Column] = [:], json: String? = nil, selective: Bool = true
  ) {
    self.init(word: word, roles: roles, required: required, requiredLater: later, typeName: type)
    self.renamed = renamed
    isSelective = selective
    jsonArray = json
    decimalSign = .point
  }

  private func with(_ change: (inout TableProfile) -> Void) -> TableProfile {
    var profile = self
    change(&profile)
    return profile
  }

  // MARK: Fitbit

  static let fitbit = [
    TableProfile(
      "fitbit", "Heart rate", ["date time", "value", "bpm"], [.start: ["date time"]], ["value bpm": "heart_rate"],
      json: ""
    ).with { $0.setSamples(.average, isUTC: true) },
    TableProfile(
      "fitbit", "Resting heart rate", ["date time", "value", "error"], [.start: ["date time"]],
      ["value value": "heart_rate"], json: ""
    ).with {
      $0.setSamples(.average)
      $0.skipsZero = true
    },
    // Steps, calories, distance and others have the same layout. The name of the file states the kind.
    TableProfile("fitbit", nil, ["date time", "value"], [.start: ["date time"]], json: "", selective: false)
      .with { $0.setSamples(.total, isUTC: true) },
    TableProfile(
      "fitbit", "Sleep", ["log id", "date of sleep", "minutes asleep"],
      [.id: ["log id"], .start: ["start time"], .end: ["end time"]],
      [
        "minutes asleep": Column("duration", seconds: 60), "minutes awake": Column("awake", seconds: 60),
        "levels summary deep minutes": Column("deep", seconds: 60),
        "levels summary light minutes": Column("light", seconds: 60),
        "levels summary rem minutes": Column("rem", seconds: 60), "efficiency": "efficiency",
      ], json: ""),
    TableProfile(
      "fitbit", "Workout", ["log id", "activity name", "start time"],
      [.id: ["log id"], .start: ["start time"], .duration: ["duration"]],
      [
        "activity name": "activity", "active duration": Column("duration", seconds: 0.001), "calories": "energy",
        "steps": "steps", "average heart rate": "heart_rate", "elevation gain": "elevation",
      ], json: ""
    ).with {
      $0.setWorkout()
      $0.isUTC = true
      $0.isDayFirst = false
      $0.durationUnit = .milliseconds
    },
    TableProfile(
      "fitbit", "Weight", ["log id", "weight", "bmi"],
      [.id: ["log id"], .startDate: ["date"], .startTime: ["time"]],
      ["weight": "weight", "bmi": "bmi", "fat": "body_fat"], json: ""
    ).with { $0.isDayFirst = false },
    TableProfile(
      "fitbit", "Steps", ["timestamp", "steps"], [.start: ["timestamp"]], ["steps": "steps"]
    ).with { $0.setSamples(.total) },
    TableProfile(
      "fitbit", "Heart rate", ["timestamp", "beats per minute"], [.start: ["timestamp"]],
      ["beats per minute": "heart_rate"]
    ).with { $0.setSamples(.average) },
    TableProfile(
      "fitbit", "Calories", ["timestamp", "calories"], [.start: ["timestamp"]], ["calories": "calories"]
    ).with { $0.setSamples(.total) },
    TableProfile(
      "fitbit", "Weight", ["timestamp", "weight grams"], [.start: ["timestamp"]],
      ["weight grams": Column("weight", times: 0.001)]
    ).with {
      $0.isUTC = true
      $0.mostColumns = 3
    },
  ]

  private mutating func setSamples(_ statistic: DailyValues.Statistic, isUTC: Bool = false) {
    daily = statistic
    self.isUTC = isUTC
    isDayFirst = false
    ignored = ["data source", "value confidence", "value date", "value error"]
    isClosed = true
    needsOffset = jsonArray == nil
  }

  private mutating func setWorkout() {
    kind = .workout
    selects = ["activity name", "activity type", "activity", "exercise type", "fitness activity", "exercise"]
  }

  // MARK: Google Fit, Garmin, Samsung Health

  static let googleFit = [
    TableProfile(
      "google-fit", "Daily activity", ["date", "move minutes count", "calories (kcal)"], [.startDate: ["date"]],
      [
        "step count": "steps", "distance (m)": "distance", "calories (kcal)": "energy",
        "move minutes count": Column("active", seconds: 60), "heart points": "heart_points",
        "average heart rate (bpm)": "heart_rate", "average weight (kg)": "weight",
        "sleep duration (ms)": Column("sleep", seconds: 0.001),
        "walking duration (ms)": Column("walking", seconds: 0.001),
        "running duration (ms)": Column("running", seconds: 0.001),
        "biking duration (ms)": Column("biking", seconds: 0.001),
      ], selective: false
    ).with { $0.isDayRow = true },
    TableProfile(
      "google-fit", "Workout", ["fitness activity", "start time", "end time"],
      [.start: ["start time"], .end: ["end time"]],
      [
        "fitness activity": "activity", "duration": Column("duration", seconds: 1),
        "com.google.calories.expended": "energy", "com.google.distance.delta": "distance",
        "com.google.step count.delta": "steps",
      ], json: ""
    ).with { $0.setWorkout() },
  ]

  static let garmin = [
    TableProfile(
      "garmin", "Daily activity", ["calendar date", "total steps"],
      [.start: ["calendar date", "calendar date date"]],
      [
        "total steps": "steps", "total distance meters": "distance", "active kilocalories": "energy",
        "resting heart rate": "resting_heart_rate", "min heart rate": "minimum_heart_rate",
        "max heart rate": "maximum_heart_rate", "floors ascended in meters": "ascent",
      ], json: ""
    ).with { $0.isDayRow = true },
    TableProfile(
      "garmin", "Sleep", ["sleep start timestamp gmt", "sleep end timestamp gmt"],
      [.start: ["sleep start timestamp gmt"], .end: ["sleep end timestamp gmt"]],
      [
        "deep sleep seconds": Column("deep", seconds: 1), "light sleep seconds": Column("light", seconds: 1),
        "rem sleep seconds": Column("rem", seconds: 1), "awake sleep seconds": Column("awake", seconds: 1),
        "sleep scores overall score": "score",
      ], json: ""
    ).with { $0.isUTC = true },
  ]

  static let samsung = [
    TableProfile(
      "samsung", "Weight", ["weight", "start time", "datauuid"], ["weight": "weight", "body fat": "body_fat"]),
    TableProfile(
      "samsung", "Blood oxygen", ["spo2", "start time", "datauuid"], ["spo2": "oxygen", "heart rate": "heart_rate"]
    ).with { $0.daily = .average },
    TableProfile("samsung", "Heart rate", ["heart rate", "start time", "datauuid"], ["heart rate": "heart_rate"])
      .with { $0.daily = .average },
    TableProfile(
      "samsung", "Blood pressure", ["systolic", "diastolic", "start time", "datauuid"],
      ["systolic": "systolic", "diastolic": "diastolic", "pulse": "pulse"]),
    TableProfile(
      "samsung", "Sleep", ["start time", "end time", "sleep score", "datauuid"],
      [
        "sleep score": "score", "efficiency": "efficiency", "sleep duration": Column("duration", seconds: 60),
        "total light duration": Column("light", seconds: 60), "total rem duration": Column("rem", seconds: 60),
      ]),
    TableProfile(
      "samsung", "Workout", ["exercise type", "start time", "duration", "datauuid"],
      [
        "exercise type": Column(
          "activity",
          words: [
            "1001": "Walking", "1002": "Running", "11007": "Cycling", "13001": "Hiking", "14001": "Swimming",
            "15006": "Elliptical", "15003": "Indoor cycling", "15005": "Treadmill", "10007": "Circuit training",
          ]), "duration": Column("duration", seconds: 0.001), "distance": "distance", "calorie": "energy",
        "mean heart rate": "heart_rate", "count": "steps",
      ]
    ).with { $0.setWorkout() },
    // Rows of single devices repeat what the row of source -2 combines.
    TableProfile(
      "samsung", "Steps", ["count", "day time", "source type", "datauuid"],
      ["count": "steps", "distance": "distance", "calorie": "energy"]
    ).with {
      $0.roles = [.start: ["day time"]]
      $0.only = ("source type", ["-2"])
      $0.ignored = ["datauuid"]
      $0.isDayRow = true
    },
  ]

  /// Table of Samsung Health. Its times are in UTC, with the offset of the local time in another column.
  private init(_ word: String, _ type: String, _ required: [String], _ renamed: [String: Column]) {
    self.init(
      word, type, required,
      [.id: ["datauuid"], .start: ["start time"], .end: ["end time"], .zone: ["time offset"], .note: ["comment"]],
      renamed)
    isUTC = true
  }

  // MARK: Oura, Withings

  static let oura = [
    TableProfile(
      "oura", "Sleep", ["bedtime start", "bedtime end", "day"],
      [.id: ["id"], .start: ["bedtime start"], .end: ["bedtime end"]],
      [
        "total sleep duration": Column("duration", seconds: 1), "deep sleep duration": Column("deep", seconds: 1),
        "light sleep duration": Column("light", seconds: 1), "rem sleep duration": Column("rem", seconds: 1),
        "awake time": Column("awake", seconds: 1), "efficiency": "efficiency", "average heart rate": "heart_rate",
        "average hrv": "hrv", "lowest heart rate": "lowest_heart_rate",
      ]),
    TableProfile(
      "oura", "Daily activity", ["day", "steps", "active calories"], [.startDate: ["day"]],
      [
        "steps": "steps", "active calories": "energy", "equivalent walking distance": "distance", "score": "score",
      ]
    ).with { $0.isDayRow = true },
    TableProfile(
      "oura", "Readiness", ["day", "score", "temperature deviation"], [.startDate: ["day"]],
      ["score": "score", "temperature deviation": "temperature_deviation"]
    ).with { $0.isDayRow = true },
    TableProfile("oura", "Sleep score", ["day", "score", "contributors"], [.startDate: ["day"]], ["score": "score"])
      .with { $0.isDayRow = true },
    TableProfile(
      "oura", "Heart rate", ["bpm", "source", "timestamp"], [.start: ["timestamp"]], ["bpm": "heart_rate"]
    ).with {
      $0.daily = .average
      $0.isClosed = true
      $0.needsOffset = true
    },
    TableProfile(
      "oura", "Workout", ["activity", "start datetime", "end datetime", "intensity"],
      [.id: ["id"], .start: ["start datetime"], .end: ["end datetime"]],
      ["activity": "activity", "calories": "energy", "distance": "distance", "intensity": "intensity"]
    ).with { $0.setWorkout() },
  ]

  static let withings = [
    TableProfile(
      "withings", "Weight", ["date", "weight (kg)", "fat mass (kg)", "comments"],
      [.start: ["date"], .note: ["comments"]],
      [
        "weight (kg)": "weight", "fat mass (kg)": "fat_mass", "bone mass (kg)": "bone_mass",
        "muscle mass (kg)": "muscle_mass", "hydration (kg)": "hydration",
      ]),
    TableProfile(
      "withings", "Weight", ["date", "weight (lb)", "fat mass (lb)", "comments"],
      [.start: ["date"], .note: ["comments"]],
      [
        "weight (lb)": Column("weight", times: 0.453_592_37), "fat mass (lb)": Column("fat_mass", times: 0.453_592_37),
        "bone mass (lb)": Column("bone_mass", times: 0.453_592_37),
        "muscle mass (lb)": Column("muscle_mass", times: 0.453_592_37),
        "hydration (lb)": Column("hydration", times: 0.453_592_37),
      ]),
    TableProfile(
      "withings", "Blood pressure", ["date", "heart rate", "systolic", "diastolic", "comments"],
      [.start: ["date"], .note: ["comments"]],
      ["heart rate": "pulse", "systolic": "systolic", "diastolic": "diastolic"]),
    TableProfile(
      "withings", "Sleep", ["from", "to", "light (s)", "deep (s)"], [.start: ["from"], .end: ["to"], .note: ["notes"]],
      [
        "light (s)": Column("light", seconds: 1), "deep (s)": Column("deep", seconds: 1),
        "rem (s)": Column("rem", seconds: 1), "awake (s)": Column("awake", seconds: 1),
        "average heart rate": "heart_rate",
      ]),
    TableProfile(
      "withings", "Workout", ["from", "to", "activity type", "data"], [.start: ["from"], .end: ["to"]],
      ["activity type": "activity"]
    ).with { $0.setWorkout() },
  ]

  // MARK: Diaries, meals, drives and habits

  static let dayOne = [
    TableProfile(
      "dayone", "Journal", ["metadata", "entries"],
      [
        .id: ["uuid"], .start: ["creation date"], .note: ["text"], .zone: ["time zone"],
        .place: ["location place name", "location locality name"], .latitude: ["location latitude"],
        .longitude: ["location longitude"],
      ],
      ["tags": "tags", "starred": "starred", "weather temperature celsius": "temperature"], json: "entries")
  ]

  static let myFitnessPal = [
    TableProfile(
      "myfitnesspal", "Meal", ["date", "meal", "calories", "fat (g)", "protein (g)"],
      [.startDate: ["date"], .note: ["note"]],
      ["meal": "meal", "calories": "energy"], selective: false
    ).with {
      $0.isDayRow = true
      $0.dayKey = "meal"
      $0.selects = ["meal"]
    },
    TableProfile(
      "myfitnesspal", "Workout", ["date", "exercise", "exercise calories", "exercise minutes"],
      [.startDate: ["date"], .note: ["note"]],
      [
        "exercise": "activity", "exercise calories": "energy", "exercise minutes": Column("duration", seconds: 60),
      ], selective: false
    ).with { $0.setWorkout() },
  ]

  static let teslaMate = [
    TableProfile(
      "teslamate", "Drive", ["car id", "start date", "end date", "distance", "duration min"],
      [.id: ["id"], .start: ["start date"], .end: ["end date"]],
      ["distance": Column("distance", times: 1000), "speed max": "maximum_speed", "outside temp avg": "temperature"]
    ).with {
      $0.kind = .trip
      $0.ignored = ["car id", "duration min"]
      $0.isUTC = true
    }
  ]

  static let streaks = [
    TableProfile(
      "streaks", nil, ["task id", "title", "entry type", "entry date"],
      [.type: ["title"], .startDate: ["entry date"], .note: ["notes"]], ["quantity": "count"]
    ).with {
      $0.ignored = [
        "task id", "icon", "task archived?", "task status", "entry timestamp", "entry timezone", "page",
        "display order",
      ]
      $0.only = ("entry type", ["completed_manually", "completed_auto", "completed", "timer_completed"])
      $0.isDayRow = true
    }
  ]

  /// One file per attribute. The name of the file states the attribute.
  static let exist = [
    TableProfile("exist", nil, ["date", "value"], [.startDate: ["date"]], json: "", selective: false).with {
      $0.isDayRow = true
      $0.skipsZero = true
      $0.mostColumns = 2
      $0.isClosed = true
    }
  ]

  static let sleepAsAndroid = TableProfile(
    "sleep-as-android", "Sleep", ["id", "tz", "from", "to", "sched"],
    [.id: ["id"], .start: ["from"], .end: ["to"], .zone: ["tz"], .note: ["comment"]],
    [
      "hours": Column("duration", seconds: 3600), "rating": "rating", "cycles": "cycles", "deep sleep": "deep_share",
      "snore": "snoring", "noise": "noise",
    ])

  static let trackAndGraph = TableProfile(
    "track-and-graph", nil, ["feature name", "timestamp", "value"],
    [.type: ["feature name"], .start: ["timestamp"], .note: ["note"]],
    ["value": "value", "duration": Column("duration", seconds: 1), "label": "label"])
}
