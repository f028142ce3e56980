extension InterchangeFormat {
  /// Help text for users who have a file of a format or want to create one.
  public struct Guide: Hashable, Sendable {
    /// How to export the file from the other program.
    public let origin: String
    /// Result of importing the file.
    public let result: String
  }

  /// Help text, or `nil` if ``summary`` suffices.
  public var guide: Guide? { Self.guides[word] }

  private static let guides = trackerGuides.merging(journeyGuides) { first, _ in first }

  private static let journeyGuides: [String: Guide] = [
    "google-records": Guide(
      origin: "A Takeout made before 2024: Location History, Records.json. Since then the history is on the phone.",
      result: "Fixes of each of your devices, and the trips and visits that are found in them."),
    "google-months": Guide(
      origin: "A Takeout made before 2024: Location History, Semantic Location History, a file for each month.",
      result:
        "Stays as events Visit, ways in a vehicle as trips, other ways as events such as Walking, and the points of the "
        + "ways as fixes."),
    "google-timeline": Guide(
      origin:
        "On Android: Settings, Location, Location services, Timeline, Export. On an iPhone: Google Maps, Settings, "
        + "Personal content, Export Timeline data.",
      result:
        "Stays as events Visit, ways in a vehicle as trips, other ways as events such as Walking, and the points of the "
        + "ways as fixes."),
    "fit": Guide(
      origin: "Garmin Connect: an activity, Export Original; or the folder GARMIN/ACTIVITY of the device.",
      result: "A Workout for each session with sport, distance and energy, and its way as fixes."),
    "tcx": Guide(
      origin: "Garmin Connect, Strava and others: an activity, Export TCX.",
      result: "A Workout for each activity with sport, distance and energy, and its way as fixes."),
    "strava": Guide(
      origin: "In Strava on the web: Settings, My Account, Download or Delete Your Account, Request Your Archive.",
      result:
        "A Workout for each activity with its name, and its way as fixes. Routes and media are left out. activities.csv alone "
        + "gives the activities without their ways, and they stay so: take the archive where there is one."),
    "dawarich": Guide(
      origin: "In Dawarich: Settings, your account, Export my data.",
      result: "Its points as fixes, with the trips and visits in them, and its visits as events."),
    "polarsteps": Guide(
      origin: "In Polarsteps: Settings, Privacy, Download my data; locations.json of a trip.",
      result: "Fixes, and the trips that are found in them."),
  ]

  private static let trackerGuides: [String: Guide] = [
    "ndjson": Guide(
      origin: "trendy export ndjson FILE, on the machine that you come from.",
      result: "Everything that the other store held, under the same ids."),
    "loop": Guide(
      origin: "In Loop: Settings, Export as CSV. Only the habits that are shown get a folder in it.",
      result:
        "A type for each habit with its colour and goal; a checkmark is an all-day event, a number one with `count`, "
        + "a skip a day off. Written: a row for each day of a type, with the sum where a day has several events."),
    "habitkit": Guide(
      origin: "In HabitKit: Settings, Export data.",
      result:
        "A type for each habit; a day on which it was done is an all-day event, with `count` where it was more than once."
    ),
    "nomie": Guide(
      origin: "In Nomie: Settings, Data, Backup; the file ends in .json.",
      result:
        "An event for each #tag of a note, with its number as `count` or `value`; @people and +context as properties."),
    "daylio-backup": Guide(
      origin: "In Daylio: More, Backup & Restore, Advanced options, Export.",
      result:
        "An event Mood for each entry with mood, level (5 is best), activities and note. The CSV of the same diary "
        + "holds the same entries: take one of the two."),
    "daylio": Guide(
      origin: "In Daylio: More, Export Entries, CSV.",
      result: "An event Mood for each row with mood, activities and note."),
    "taskwarrior": Guide(
      origin: "task export > tasks.json",
      result: "An event Task for each completed task, when it was completed. --map PROJECT=TYPE goes by project."),
    "timewarrior": Guide(
      origin: "timew export > times.json, or the folder data of timewarrior.",
      result: "An event for each interval; its type is the first tag. An interval that runs comes once it is stopped."),
    "watson": Guide(
      origin: "watson log --all --json > log.json, or the file frames of Watson.",
      result: "An event for each frame; its type is the project."),
    "activitywatch": Guide(
      origin: "In ActivityWatch: Raw Data, Export all buckets as JSON.",
      result:
        "An event Screen time for each stretch of a program while somebody was there. Titles and addresses are not read. "
        + "--map PROGRAM=TYPE goes by program."),
    "json": Guide(
      origin: "trendy export json FILE; of the original product: Settings, Export, JSON.",
      result: "The events under the ids that they have, with their types and properties."),
    "trendy-csv": Guide(
      origin: "In the original web application: Settings, Export, CSV.",
      result: "An event for each row, in the zone here or in --zone."),
    "toggl": Guide(
      origin: "In Toggl Track: Reports, Detailed, Download CSV. A summary has no times.",
      result: "An event for each row; its type is the project."),
    "clockify": Guide(
      origin: "In Clockify: Reports, Detailed, Export, CSV.",
      result: "An event for each row; its type is the project."),
    "habitbull": Guide(
      origin: "In HabitBull: Settings, Export to CSV.",
      result: "An all-day event for each row of more than nothing, with `count` where it is not 1."),
    "habitica-data": Guide(
      origin: "In Habitica: Settings, Site Data, User Data, Export as JSON.",
      result:
        "An event for each day of a habit, with `count`, under \"NAME (-)\" where it went down; one for each daily that was "
        + "done; an event Task for each to-do that was. The CSV holds the same clicks: take one of the two."),
    "habitica": Guide(
      origin: "In Habitica: Settings, Site Data, Data export, CSV. The user data in JSON tells more: habitica-data.",
      result: "An event for each row. Its value is a colour that drifts, and is left out; --zone is that of the server."
    ),
    "apple-health": Guide(
      origin: "On the iPhone: Health, your picture, Export All Health Data.",
      result:
        "Workouts with their ways, sleep, mindfulness and water as events; steps and energy as one all-day event a date."
    ),
    "ics": Guide(
      origin: "In a calendar: Export, or the address that ends in .ics, downloaded.",
      result: "An event for each entry, and for each time of one that repeats, until now or --until."),
  ]
}
