/// Small invented files of wearables and other programs, based on the layouts that public importers read.
struct AppSample: Sendable {
  var word: String
  var file: String?
  var text: String
  /// The events, as ``AppFormatsTests/describe(_:)`` describes them.
  var events: [String]
  /// Number of skipped values and problems.
  var skipped = 0

  init(_ word: String, _ text: String, file: String? = nil, skipped: Int = 0, _ events: [String]) {
    self.word = word
    self.text = text
    self.file = file
    self.events = events
    self.skipped = skipped
  }
}

enum AppSamples {
  static let all = fitbit + wearables + others

  private static let fitbit = [
    AppSample(
      "fitbit",
      """
      [{"dateTime":"03/01/26 08:05:00","value":"12"},{"dateTime":"03/01/26 08:06:00","value":"30"},
      {"dateTime":"03/02/26 08:05:00","value":"7"}]
      """, file: "Takeout/Fitbit/steps-2026-03-01.json",
      ["Steps 2026-03-01 steps=42", "Steps 2026-03-02 steps=7"]),
    AppSample(
      "fitbit",
      """
      [{"dateTime":"03/01/26 08:05:00","value":{"bpm":60,"confidence":2}},
      {"dateTime":"03/01/26 08:05:10","value":{"bpm":80,"confidence":3}}]
      """, ["Heart rate 2026-03-01 heart_rate=70 maximum=80 minimum=60"]),
    AppSample(
      "fitbit",
      """
      [{"dateTime":"03/01/26 00:00:00","value":{"date":"03/01/26","value":58.5,"error":6.7}}]
      """, ["Resting heart rate 2026-03-01 heart_rate=58.5"]),
    AppSample(
      "fitbit",
      """
      [{"dateTime":"03/01/26 00:00:00","value":{"date":"03/01/26","value":58.5,"error":6.7}},
      {"dateTime":"03/02/26 00:00:00","value":{"date":null,"value":0.0,"error":0.0}}]
      """, skipped: 1, ["Resting heart rate 2026-03-01 heart_rate=58.5"]),
    AppSample(
      "fitbit", "[{\"dateTime\":\"03/01/26 00:00:00\",\"value\":{\"demographicVO2Max\":43.5}}]",
      file: "Takeout/Fitbit/demographic_vo2_max-2026-03-01.json",
      ["Demographic vo2 max 2026-03-01 value demographicVO2Max=43.5"]),
    AppSample(
      "fitbit",
      """
      [{"logId":1,"dateOfSleep":"2026-03-02","startTime":"2026-03-01T23:10:30.000","endTime":"2026-03-02T07:00:00.000",
      "duration":28170000,"minutesAsleep":420,"minutesAwake":49,"efficiency":90,"type":"stages",
      "levels":{"summary":{"deep":{"minutes":80},"light":{"minutes":240},"rem":{"minutes":100}},
      "data":[{"dateTime":"2026-03-01T23:10:30.000","level":"wake","seconds":30}]}}]
      """, skipped: 4,
      [
        "Sleep 2026-03-01T23:10:30Z/2026-03-02T07:00:00Z awake=2940 deep=4800 duration=25200 efficiency=90 light=14400 rem=6000"
      ]
    ),
    AppSample(
      "fitbit",
      """
      [{"logId":7,"activityName":"Run","startTime":"03/01/26 08:00:00","activeDuration":1700000,"duration":1800000,
      "calories":300,"steps":4000,"averageHeartRate":140}]
      """,
      [
        "Workout 2026-03-01T08:00:00Z/2026-03-01T08:30:00Z activity=Run duration=1700 energy=300 heart_rate=140 steps=4000"
      ]),
    AppSample(
      "fitbit",
      """
      [{"logId":8,"weight":80.5,"bmi":24.1,"fat":20,"date":"03/01/26","time":"07:30:00","source":"Aria"}]
      """, skipped: 1, ["Weight 2026-03-01T07:30:00Z bmi=24.1 body_fat=20 weight=80.5"]),
    AppSample(
      "fitbit", "timestamp,steps\n2026-03-01T08:00:00Z,12\n2026-03-01T08:01:00Z,30\n", ["Steps 2026-03-01 steps=42"]),
    AppSample(
      "fitbit",
      "timestamp,beats per minute,data source\n2026-03-01T08:00:00Z,60,Watch\n2026-03-01T08:01:00Z,70,Watch\n",
      ["Heart rate 2026-03-01 heart_rate=65 maximum=70 minimum=60"]),
    AppSample(
      "fitbit", "timestamp,weight grams,data source\n2026-03-01T08:00:00Z,80500,Aria\n", skipped: 1,
      ["Weight 2026-03-01T08:00:00Z weight=80.5"]),
  ]

  private static let wearables = [
    AppSample(
      "google-fit",
      """
      Date,Move Minutes count,Calories (kcal),Distance (m),Step count,Average heart rate (bpm),Average weight (kg)
      2026-03-01,45,2100.5,6400,9123,71.2,81.4
      2026-03-02,0,1980,2200,4501,,
      """,
      [
        "Daily activity 2026-03-01 active=2700 distance=6400 energy=2100.5 heart_rate=71.2 steps=9123 weight=81.4",
        "Daily activity 2026-03-02 active=0 distance=2200 energy=1980 steps=4501",
      ]),
    AppSample(
      "google-fit",
      """
      {"fitnessActivity":"running","startTime":"2026-03-01T08:00:00Z","endTime":"2026-03-01T08:30:00Z",
      "duration":"1700s","segment":[{"fitnessActivity":"running"}],
      "aggregate":[{"metricName":"com.google.distance.delta","floatValue":5000.5},
      {"metricName":"com.google.step_count.delta","intValue":6000}]}
      """, skipped: 1,
      ["Workout 2026-03-01T08:00:00Z/2026-03-01T08:30:00Z activity=running distance=5000.5 duration=1700 steps=6000"]),
    AppSample(
      "garmin",
      """
      [{"userProfilePK":1,"calendarDate":"2026-03-01","totalSteps":8123,"totalDistanceMeters":6000,"restingHeartRate":50},
      {"userProfilePK":1,"calendarDate":"2026-03-02","totalSteps":100}]
      """, skipped: 2,
      [
        "Daily activity 2026-03-01 distance=6000 resting_heart_rate=50 steps=8123",
        "Daily activity 2026-03-02 steps=100",
      ]),
    AppSample(
      "garmin",
      """
      [{"sleepStartTimestampGMT":"2026-02-28T22:10:00.0","sleepEndTimestampGMT":"2026-03-01T06:00:00.0",
      "calendarDate":"2026-03-01","deepSleepSeconds":3600,"lightSleepSeconds":18000,"remSleepSeconds":5400,
      "awakeSleepSeconds":600}]
      """, skipped: 1,
      ["Sleep 2026-02-28T22:10:00Z/2026-03-01T06:00:00Z awake=600 deep=3600 light=18000 rem=5400"]),
    AppSample(
      "samsung",
      """
      com.samsung.shealth.step_daily_trend,6003010,7
      source_type,count,day_time,datauuid
      -2,8123,1772323200000,a1,
      0,4000,1772323200000,a2,
      """, skipped: 2, ["Steps 2026-03-01 steps=8123"]),
    AppSample(
      "samsung",
      """
      com.samsung.health.weight,6302000,1
      start_time,weight,time_offset,datauuid
      2026-03-01 05:10:00.000,80.2,UTC+0300,w1
      """, skipped: 1, ["Weight 2026-03-01T05:10:00Z weight=80.2"]),
    AppSample(
      "samsung",
      """
      com.samsung.shealth.tracker.heart_rate,6305010,4
      com.samsung.health.heart_rate.start_time,com.samsung.health.heart_rate.heart_rate,com.samsung.health.heart_rate.datauuid
      2026-03-01 08:00:00.000,60,h1
      2026-03-01 09:00:00.000,80,h2
      """, skipped: 1, ["Heart rate 2026-03-01 heart_rate=70 maximum=80 minimum=60"]),
    AppSample(
      "samsung",
      """
      com.samsung.shealth.tracker.oxygen_saturation,6305010,4
      start_time,spo2,heart_rate,time_offset,datauuid
      2026-03-01 20:00:00.000,97,60,UTC+0900,o1
      """, skipped: 1, ["Blood oxygen 2026-03-02 heart_rate=60 oxygen=97"]),
    AppSample(
      "oura", "bpm;source;timestamp\n60;rest;2026-03-01T20:00:00-08:00\n", skipped: 1,
      ["Heart rate 2026-03-01 heart_rate=60"]),
    AppSample(
      "oura",
      """
      id;average_heart_rate;awake_time;bedtime_end;bedtime_start;day;deep_sleep_duration;efficiency;total_sleep_duration;type
      a1;54.5;900;2026-03-01T06:30:00+00:00;2026-02-28T23:15:00+00:00;2026-03-01;5400;92;25200;long_sleep
      """, skipped: 2,
      [
        "Sleep 2026-02-28T23:15:00Z/2026-03-01T06:30:00Z awake=900 deep=5400 duration=25200 efficiency=92 heart_rate=54.5"
      ]),
    AppSample(
      "oura", "id;contributors;day;score;timestamp\nb1;\"{\"\"rem\"\": 9}\";2026-03-01;81;2026-03-01T00:00:00+00:00\n",
      skipped: 3, ["Sleep score 2026-03-01 score=81"]),
    AppSample(
      "withings",
      """
      Date,"Weight (kg)","Fat mass (kg)","Bone mass (kg)","Muscle mass (kg)","Hydration (kg)",Comments
      "2026-03-01 08:11:51",80.90,16.02,3.22,61.65,43.93,"after sport"
      """,
      [
        "Weight 2026-03-01T08:11:51Z bone_mass=3.22 fat_mass=16.02 hydration=43.93 muscle_mass=61.65 weight=80.9 'after sport'"
      ]),
    AppSample(
      "withings", "Date,Heart rate,Systolic,Diastolic,Comments\n\"2026-03-01 08:11:51\",60,120,80,\n",
      ["Blood pressure 2026-03-01T08:11:51Z diastolic=80 pulse=60 systolic=120"]),
    AppSample(
      "withings",
      """
      from,to,"light (s)","deep (s)","rem (s)","awake (s)","wake up",Notes
      2026-02-28T23:15:00+01:00,2026-03-01T06:30:00+01:00,14400,5400,3600,600,2,
      """, skipped: 1,
      ["Sleep 2026-02-28T22:15:00Z/2026-03-01T05:30:00Z awake=600 deep=5400 light=14400 rem=3600"]),
  ]

  private static let others = [
    AppSample(
      "dayone",
      """
      {"metadata":{"version":"1.0"},"entries":[{"uuid":"AB12","creationDate":"2026-03-01T08:00:00Z",
      "timeZone":"Europe/Paris","text":"A walk","tags":["out","sun"],"starred":false,
      "location":{"latitude":52.1,"longitude":5.1,"placeName":"Park"}}]}
      """, ["Journal 2026-03-01T08:00:00Z starred=false tags=out, sun 'A walk' @Park"]),
    AppSample(
      "dayone",
      """
      {"metadata":{"version":"1.0"},"entries":[
      {"uuid":"A1","creationDate":"2026-03-01T08:00:00Z","text":"a;b;c;d;e;f;g\\nh;i;j;k;l;m;n"},{},
      {"uuid":"A2","creationDate":"2026-03-01T09:00:00Z","text":"a|b|c|d|e|f|g"}]}
      """, skipped: 1,
      [
        "Journal 2026-03-01T08:00:00Z 'a;b;c;d;e;f;g\nh;i;j;k;l;m;n'",
        "Journal 2026-03-01T09:00:00Z 'a|b|c|d|e|f|g'",
      ]),
    AppSample(
      "sleep-as-android",
      """
      Id,Tz,From,To,Sched,Hours,Rating,Comment,Framerate,Snore,Noise,Cycles,DeepSleep,LenAdjust,Geo,"23:00","23:05",Event
      "1","Europe/Paris","28. 02. 2026 23:00","01. 03. 2026 7:00","01. 03. 2026 7:00","7.5","4.0","deep #home","10000","0","0.1","5","0.4","0","","10.0","8.0","DEEP_START-1"
      Id,Tz,From,To,Sched,Hours,Rating,Comment,Framerate,Snore,Noise,Cycles,DeepSleep,LenAdjust,Geo
      "2","Europe/Paris","01. 03. 2026 23:00","02. 03. 2026 7:00","02. 03. 2026 7:00","7.0","3.5","","10000","0","0.1","5","0.4","0",""
      ,,,,,,,,,,,,,,,0.1,0.2
      """, skipped: 10,
      [
        "Sleep 2026-02-28T22:00:00Z/2026-03-01T06:00:00Z cycles=5 deep_share=0.4 duration=27000 noise=0.1 rating=4 "
          + "snoring=0 'deep #home'",
        "Sleep 2026-03-01T22:00:00Z/2026-03-02T06:00:00Z cycles=5 deep_share=0.4 duration=25200 noise=0.1 rating=3.5 "
          + "snoring=0",
      ]),
    AppSample(
      "myfitnesspal",
      """
      Date,Meal,Calories,Fat (g),Protein (g),Note
      2026-03-01,Breakfast,450.5,12,35,oats
      2026-03-01,Lunch,680,22,45,
      """,
      [
        "Meal 2026-03-01 Fat (g)=12 Protein (g)=35 energy=450.5 meal=Breakfast 'oats'",
        "Meal 2026-03-01 Fat (g)=22 Protein (g)=45 energy=680 meal=Lunch",
      ]),
    AppSample(
      "teslamate",
      """
      id,car_id,start_date,end_date,distance,duration_min,speed_max
      1,1,2026-03-01 08:00:00.123,2026-03-01 08:45:00,28.5,45,120
      """,
      [
        "Drive 2026-03-01T08:00:00.123Z/2026-03-01T08:45:00Z distance=28500 duration=2699.877 maximum_speed=120 mode=car"
      ]),
    AppSample(
      "streaks",
      """
      task_id,title,entry_type,entry_date,entry_timestamp,quantity,notes
      p2,Wake up,completed_manually,20260301,2026-03-01T12:24:16+08:00,2,early
      p2,Wake up,missed_auto,20260302,2026-03-03T09:37:49+08:00,0,
      """, skipped: 1, ["Wake up 2026-03-01 count=2 'early'"]),
    AppSample(
      "exist",
      """
      [{"date":"2026-03-01","value":8123},{"date":"2026-03-02","value":0},{"date":"2026-03-03","value":null}]
      """, file: "exist/data_steps_2026.json", skipped: 2, ["Steps 2026-03-01 steps=8123"]),
    AppSample(
      "track-and-graph",
      """
      FeatureName,Timestamp,Value,Note
      Weight,2026-03-01T21:30:41.432+01:00,72.5,
      Run,2026-03-01T12:55:37+01:00,1:02:03:fast,far
      Mood,2026-03-02T12:55:37+01:00,2.0:good,
      """,
      [
        "Weight 2026-03-01T20:30:41.432Z value=72.5", "Run 2026-03-01T11:55:37Z duration=3723 label=fast 'far'",
        "Mood 2026-03-02T11:55:37Z label=good value=2",
      ]),
    AppSample(
      "jrnl",
      """
      [2026-03-01 08:05] A walk.
      Saw @kim in the park.

      [2026-03-02 09:00:10 PM] Rain.
      """,
      [
        "Journal 2026-03-01T08:05:00Z tags=@kim 'A walk.\nSaw @kim in the park.'",
        "Journal 2026-03-02T21:00:10Z 'Rain.'",
      ]),
    AppSample(
      "org",
      """
      #+TITLE: Work
      * TODO [#A] Write report :office:deep:
        :LOGBOOK:
        CLOCK: [2026-03-01 Sun 08:00]--[2026-03-01 Sun 09:30] =>  1:30
        CLOCK: [2026-03-02 Mon 8:00]
        :END:
      ** Read
         CLOCK: [2026-03-02 lun. 10:00]--[2026-03-02 lun. 10:30] =>  0:30
      * API design
      CLOCK: [2026-03-03 Tue 10:00]--[2026-03-03 Tue 10:30] =>  0:30
      """, skipped: 4,
      [
        "Write report 2026-03-01T08:00:00Z/2026-03-01T09:30:00Z tags=office, deep",
        "Read 2026-03-02T10:00:00Z/2026-03-02T10:30:00Z", "API design 2026-03-03T10:00:00Z/2026-03-03T10:30:00Z",
      ]),
    AppSample(
      "home-assistant",
      """
      entity_id,state,last_changed
      person.kim,home,2026-03-01T08:00:00.000Z
      sensor.temperature,20.5,2026-03-01T08:00:00.000Z
      sensor.temperature,21.5,2026-03-01T09:00:00.000Z
      person.kim,Work,2026-03-01T09:00:00.000Z
      person.kim,home,2026-03-01T19:00:00.000Z
      washer,finished,2026-03-01T10:00:00.000Z
      washer,3,2026-03-01T10:30:00.000Z
      washer,finished,2026-03-01T11:00:00.000Z
      """, skipped: 2,
      [
        "person.kim 2026-03-01T08:00:00Z/2026-03-01T09:00:00Z state=home",
        "person.kim 2026-03-01T09:00:00Z/2026-03-01T19:00:00Z state=Work",
        "washer 2026-03-01T10:00:00Z/2026-03-01T10:30:00Z state=finished",
        "sensor.temperature 2026-03-01 maximum=21.5 minimum=20.5 value=21", "washer 2026-03-01 value=3",
      ]),
  ]
}
