/// Small invented files in location history formats, based on published descriptions of these formats.
enum JourneySamples {
  static let texts: [String: String] = [
    "google-records": records, "google-months": month, "google-timeline": android, "polarsteps": polarsteps, "tcx": tcx,
  ]

  static let records = """
    {"locations":[{"latitudeE7":521230000,"longitudeE7":-43210000,"accuracy":22,"source":"wifi","deviceTag":-71234567,"timestamp":"2022-05-01T06:10:11.5Z",
      "activity":[{"timestamp":"2022-05-01T06:10:11Z","activity":[{"type":"IN_VEHICLE","confidence":71}]}]},
     {"activeWifiScan":{"accessPoints":[{"mac":"70474800562644","strength":-76}]},"timestamp":"2022-05-01T06:11:00Z"},
     {"timestampMs":"1555555555555","latitudeE7":407000000,"longitudeE7":3554967296,"accuracy":900,"altitude":12,"velocity":7,"heading":358}]}
    """

  static let month = """
    {"timelineObjects":[
     {"placeVisit":{"location":{"latitudeE7":520907000,"longitudeE7":51214000,"placeId":"ChIJ-a","name":"Bakery","address":"Oudegracht 1\\nUtrecht","locationConfidence":90},
       "duration":{"startTimestamp":"2022-05-02T07:00:00.123Z","endTimestamp":"2022-05-02T07:30:00Z"},"placeConfidence":"HIGH_CONFIDENCE",
       "childVisits":[{"location":{"placeId":"ChIJ-b"}}]}},
     {"activitySegment":{"startLocation":{"latitudeE7":520907000,"longitudeE7":51214000},"endLocation":{"latitudeE7":523702000,"longitudeE7":48952000},
       "duration":{"startTimestampMs":"1651476600000","endTimestampMs":"1651478400000"},"distance":38500,"activityType":"IN_PASSENGER_VEHICLE",
       "simplifiedRawPath":{"points":[{"latE7":522000000,"lngE7":50000000,"accuracyMeters":10,"timestampMs":"1651477000000"}]}}}]}
    """

  static let android = """
    {"semanticSegments":[
     {"startTime":"2026-05-02T08:00:00.000+02:00","endTime":"2026-05-02T10:00:00.000+02:00",
       "timelinePath":[{"point":"52.1°, 5.1°","time":"2026-05-02T09:05:00.000+02:00"},{"point":"52.2°, 5.0°","time":"2026-05-02T09:15:00.000+02:00"}]},
     {"startTime":"2026-05-02T06:00:00.000+02:00","endTime":"2026-05-02T09:00:00.000+02:00","startTimeTimezoneUtcOffsetMinutes":120,
       "visit":{"hierarchyLevel":0,"probability":0.85,"topCandidate":{"placeId":"ChIJ-a","semanticType":"INFERRED_HOME","placeLocation":{"latLng":"52.0907°, 5.1214°"}}}},
     {"startTime":"2026-05-02T09:00:00.000+02:00","endTime":"2026-05-02T09:30:00.000+02:00",
       "activity":{"start":{"latLng":"52.0907°, 5.1214°"},"end":{"latLng":"52.3702°, 4.8952°"},"distanceMeters":38500.0,"topCandidate":{"type":"IN_PASSENGER_VEHICLE","probability":0.9}}}],
     "rawSignals":[{"position":{"LatLng":"52.0907, 5.1214","accuracyMeters":15,"altitudeMeters":3.5,"source":"GPS","timestamp":"2026-05-02T06:05:00.000Z","speedMetersPerSecond":0.5}},
      {"wifiScan":{"deliveryTime":"2026-05-02T06:05:00.000Z"}}],
     "userLocationProfile":{"frequentPlaces":[{"placeId":"ChIJ-a","placeLocation":"52.0907°, 5.1214°","label":"HOME"}]}}
    """

  static let ios = """
    [{"startTime":"2026-05-02T08:00:00.000Z","endTime":"2026-05-02T10:00:00.000Z",
      "timelinePath":[{"point":"geo:52.1,5.1","durationMinutesOffsetFromStartTime":"-3"},{"point":"geo:52.2,5.0","durationMinutesOffsetFromStartTime":"61"},
       {"point":"geo:52.2,5.0","durationMinutesOffsetFromStartTime":"61"},{"point":"geo:52.3,4.9","durationMinutesOffsetFromStartTime":"61"}]},
     {"startTime":"2026-05-02T11:00:00.000+02:00","endTime":"2026-05-02T11:30:00.000+02:00",
      "activity":{"start":"geo:52.090700,5.121400","end":"geo:52.370200,4.895200","distanceMeters":"38500.0","topCandidate":{"type":"cycling","probability":"0.9"}}},
     {"startTime":"2026-05-02T11:30:00.000+02:00","endTime":"2026-05-02T12:30:00.000+02:00",
      "visit":{"hierarchyLevel":"0","topCandidate":{"probability":"0.4","semanticType":"Work","placeID":"ChIJ-c","placeLocation":"geo:52.370200,4.895200"},"probability":"0.7"}},
     {"startTime":"2026-05-02T11:35:00.000+02:00","endTime":"2026-05-02T12:00:00.000+02:00",
      "visit":{"hierarchyLevel":"1","topCandidate":{"placeID":"ChIJ-d","placeLocation":"geo:52.370200,4.895200"}}},
     {"startTime":"2026-05-01T11:35:00.000+02:00","endTime":"2026-05-03T12:00:00.000+02:00","timelineMemory":{"distanceFromOriginKms":"15"}}]
    """

  static let tcx = """
    <?xml version="1.0" encoding="UTF-8"?>
    <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities>
    <Activity Sport="Biking"><Id>2026-03-01T08:00:00Z</Id>
     <Lap StartTime="2026-03-01T08:00:00Z"><TotalTimeSeconds>1500.0</TotalTimeSeconds><DistanceMeters>9000.5</DistanceMeters><Calories>300</Calories>
      <Track><Trackpoint><Time>2026-03-01T08:00:00Z</Time><Position><LatitudeDegrees>52.1</LatitudeDegrees><LongitudeDegrees>5.1</LongitudeDegrees></Position>
       <AltitudeMeters>4</AltitudeMeters><DistanceMeters>0</DistanceMeters><HeartRateBpm><Value>120</Value></HeartRateBpm>
       <Extensions><ns3:TPX xmlns:ns3="x"><ns3:Speed>5.5</ns3:Speed></ns3:TPX></Extensions></Trackpoint>
      <Trackpoint><Time>2026-03-01T08:20:00Z</Time></Trackpoint></Track></Lap>
     <Lap StartTime="2026-03-01T08:30:00Z"><TotalTimeSeconds>1200</TotalTimeSeconds><DistanceMeters>6000</DistanceMeters><Calories>120</Calories>
      <Track><Trackpoint><Time>2026-03-01T08:50:00Z</Time><Position><LatitudeDegrees>52.2</LatitudeDegrees><LongitudeDegrees>5.1</LongitudeDegrees></Position>
       <AltitudeMeters>-1.0E38</AltitudeMeters></Trackpoint></Track></Lap>
     <Notes>wet</Notes><Creator><Name>Edge &amp; Co</Name></Creator></Activity></Activities>
    <Courses><Course><Name>planned</Name><Track><Trackpoint><Time>2026-03-01T08:00:00Z</Time></Trackpoint></Track></Course></Courses>
    </TrainingCenterDatabase>
    """

  static let polarsteps = """
    {"locations":[{"lat":52.1,"lon":5.1,"time":1772348400.5},{"lat":52.2,"lon":5.1,"time":"2026-03-01T08:00:00Z"}]}
    """
}
