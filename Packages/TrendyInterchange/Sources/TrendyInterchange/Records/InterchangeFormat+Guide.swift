extension InterchangeFormat {
  /// Help text for users who have a file in a format, or want to create one.
  public struct Guide: Hashable, Sendable {
    /// Instructions for exporting the file from the other program.
    public let origin: String
    /// Description of what an import of the file creates.
    public let result: String
  }

  /// Help text, or `nil` if ``summary`` is sufficient.
  public var guide: Guide? { Self.guides[word] }

  private static let guides = trackerGuides.merging(journeyGuides) { first, _ in first }
    .merging(appGuides) { first, _ in first }

  private static let appGuides: [String: Guide] = [
    "fitbit": Guide(
      origin: "Google Takeout: Fitbit. Import the whole archive, because the hours of a day may be in two files.",
      result: "Sleep, Workout and Weight events, and an all-day event for each day's steps, heart rate and so on."),
    "google-fit": Guide(
      origin: "Google Takeout: Fit.",
      result: "A Daily activity event per day with all metrics, and a Workout for each session."),
    "garmin": Guide(
      origin: "garmin.com/account: Data Management > Export Your Data.",
      result: "A Daily activity event per day, and a Sleep event per night. Activities are FIT files in the archive."),
    "samsung": Guide(
      origin: "In Samsung Health: Settings > Download personal data.",
      result:
        "Events for sleep, workouts, weight and blood pressure; one event per day for steps and for the heart rate."),
    "oura": Guide(
      origin: "membership.ouraring.com: Export Data.",
      result: "Events for sleep and workouts; one event per day for activity, scores and the heart rate."),
    "withings": Guide(
      origin: "In Withings: Profile > Settings > Download your data.",
      result: "Events for weight, blood pressure, sleep and activities. Raw measurements are not read."),
    "dayone": Guide(
      origin: "In Day One: File > Export > JSON.",
      result: "A Journal event for each entry with its text, tags and place."),
    "sleep-as-android": Guide(
      origin: "In Sleep as Android: Backup > Export data.",
      result: "A Sleep event for each night with rating, noise and the share of deep sleep."),
    "myfitnesspal": Guide(
      origin: "On myfitnesspal.com: Reports > Export Data.",
      result: "A Meal event for each meal of a day with its nutrients, and a Workout for each exercise."),
    "teslamate": Guide(
      origin: "Run psql teslamate --csv -c 'select * from drives' > drives.csv in TeslaMate's database.",
      result: "A trip for each drive with distance and duration. TeslaFi's months are tables of positions (csv)."),
    "streaks": Guide(
      origin: "In Streaks: Settings > Export Data.",
      result: "An all-day event for each completed task. Missed and skipped days are counted."),
    "exist": Guide(
      origin: "exist.io/account/export: full JSON export. Keep the names of the files.",
      result: "An all-day event for each day with a value; its type is the attribute. Days with 0 are skipped."),
    "track-and-graph": Guide(
      origin: "In Track & Graph: open a group > Export.",
      result: "An event for each data point; its type is the tracker."),
    "jrnl": Guide(
      origin: "Run jrnl --format text > journal.txt, or use the journal file if it is not encrypted.",
      result: "A Journal event for each entry with its text, and its @tags as a property."),
    "org": Guide(
      origin: "Use the .org file, which contains lines such as CLOCK: [2026-03-01 Sun 08:00]--[2026-03-01 Sun 09:00].",
      result: "An event for each clock; its type is the headline. --map TAG=TYPE assigns types by tag."),
    "home-assistant": Guide(
      origin: "In Home Assistant: History > Download data.",
      result:
        "An event for each state of an entity until the next one, except off and similar states; numbers as an "
        + "average per day."),
  ]

  private static let journeyGuides: [String: Guide] = [
    "google-records": Guide(
      origin: "Google Takeout from before 2024: Location History > Records.json. Later history is on the phone.",
      result: "Positions of each device, and the trips and visits detected in them."),
    "google-months": Guide(
      origin: "Google Takeout from before 2024: Location History > Semantic Location History, one file for each month.",
      result:
        "Stays as Visit events, drives as trips, other journeys as events such as Walking, and the points of their "
        + "routes as positions."),
    "google-timeline": Guide(
      origin:
        "On Android: Settings > Location > Location services > Timeline > Export. On an iPhone: Google Maps > Settings "
        + "> Personal content > Export Timeline data.",
      result:
        "Stays as Visit events, drives as trips, other journeys as events such as Walking, and the points of their "
        + "routes as positions."),
    "fit": Guide(
      origin:
        "In Garmin Connect: open an activity and choose Export Original, or use the device's folder GARMIN/ACTIVITY.",
      result: "A Workout for each session with sport, distance and energy, and its route as positions."),
    "tcx": Guide(
      origin: "In Garmin Connect, Strava and others: open an activity and choose Export TCX.",
      result: "A Workout for each activity with sport, distance and energy, and its route as positions."),
    "strava": Guide(
      origin: "In Strava on the web: Settings > My Account > Download or Delete Your Account > Request Your Archive.",
      result:
        "A Workout for each activity with its name, and its route as positions. Planned routes and media are skipped. "
        + "activities.csv alone contains no routes, and they cannot be added later: prefer the whole archive."),
    "dawarich": Guide(
      origin: "In Dawarich: Settings > your account > Export my data.",
      result: "Positions, the trips and visits detected in them, and the visits in the file as events."),
    "polarsteps": Guide(
      origin: "In Polarsteps: Settings > Privacy > Download my data. Import the file locations.json of a trip.",
      result: "Positions, and the trips detected in them."),
  ]

  private static let trackerGuides: [String: Guide] = [
    "ndjson": Guide(
      origin: "On the other device: trendy export ndjson FILE",
      result: "The complete record of the other store, with the same ids."),
    "loop": Guide(
      origin: "In Loop: Settings > Export as CSV. Hidden habits are not exported.",
      result:
        "A type for each habit with its colour and goal. A checkmark becomes an all-day event, a number an event with "
        + "`count`, a skip a skipped day. An export has one row for each day of a type, with the sum of its events."),
    "habitkit": Guide(
      origin: "In HabitKit: Settings > Export data.",
      result:
        "A type for each habit. Each day on which it was done becomes an all-day event, with `count` if more than once."
    ),
    "nomie": Guide(
      origin: "In Nomie: Settings > Data > Backup (a .json file).",
      result:
        "An event for each #tag of a note, with its number as `count` or `value`, and @people and +context as properties."
    ),
    "daylio-backup": Guide(
      origin: "In Daylio: More > Backup & Restore > Advanced options > Export.",
      result:
        "A Mood event for each entry with mood, level (5 is best), activities and note. The CSV export contains the "
        + "same entries: import only one of the two."),
    "daylio": Guide(
      origin: "In Daylio: More > Export Entries > CSV.",
      result: "A Mood event for each row with mood, activities and note."),
    "taskwarrior": Guide(
      origin: "Run task export > tasks.json.",
      result:
        "A Task event for each completed task at its completion time. --map PROJECT=TYPE assigns types by project."),
    "timewarrior": Guide(
      origin: "Run timew export > times.json, or use the folder `data` of Timewarrior.",
      result:
        "An event for each interval; its type is the first tag. Running intervals are skipped until they are stopped."),
    "watson": Guide(
      origin: "Run watson log --all --json > log.json, or use the file `frames` of Watson.",
      result: "An event for each frame; its type is the project."),
    "activitywatch": Guide(
      origin: "In ActivityWatch: Raw Data > Export all buckets as JSON.",
      result:
        "A Screen time event for each period of active use of a program. Window titles and URLs are not read. "
        + "--map PROGRAM=TYPE assigns types by program."),
    "json": Guide(
      origin: "Run trendy export json FILE. In the original product: Settings > Export > JSON.",
      result: "The events with their ids, types and properties."),
    "trendy-csv": Guide(
      origin: "In the original web application: Settings > Export > CSV.",
      result: "An event for each row, in the local time zone or in --zone."),
    "toggl": Guide(
      origin: "In Toggl Track: Reports > Detailed > Download CSV. A summary has no times.",
      result: "An event for each row; its type is the project."),
    "clockify": Guide(
      origin: "In Clockify: Reports > Detailed > Export > CSV.",
      result: "An event for each row; its type is the project."),
    "habitbull": Guide(
      origin: "In HabitBull: Settings > Export to CSV.",
      result: "An all-day event for each row with a value above 0, with `count` if it is not 1."),
    "habitica-data": Guide(
      origin: "In Habitica: Settings > Site Data > User Data > Export as JSON.",
      result:
        "An event for each day of a habit with `count`, of type \"NAME (-)\" for negative clicks; an event for each "
        + "completed daily; a Task event for each completed to-do. The CSV contains the same clicks: import only one."),
    "habitica": Guide(
      origin:
        "In Habitica: Settings > Site Data > Data export > CSV. The JSON user data (habitica-data) contains more.",
      result:
        "An event for each row. Values, which only determine colours, are skipped. --zone is the server's time zone."
    ),
    "apple-health": Guide(
      origin: "On the iPhone: Health > your picture > Export All Health Data.",
      result:
        "Workouts with their routes, sleep, mindfulness and water as events; steps, energy, weight, heart rate and blood "
        + "pressure as one all-day event a day."
    ),
    "ics": Guide(
      origin: "Export the calendar, or download its address that ends in .ics.",
      result: "An event for each entry and for each occurrence of a recurring one, up to now or to --until."),
  ]
}
