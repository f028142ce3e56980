// Made by Tools/list-pages.
#include "HubPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "site/app.css"
};
static const unsigned char file_1[] = {
#embed "site/app.js"
};
static const unsigned char file_2[] = {
#embed "site/apple-touch-icon.png"
};
static const unsigned char file_3[] = {
#embed "site/data/api.js"
};
static const unsigned char file_4[] = {
#embed "site/data/days.js"
};
static const unsigned char file_5[] = {
#embed "site/data/habits.js"
};
static const unsigned char file_6[] = {
#embed "site/data/id.js"
};
static const unsigned char file_7[] = {
#embed "site/data/navigation.js"
};
static const unsigned char file_8[] = {
#embed "site/data/preferences.js"
};
static const unsigned char file_9[] = {
#embed "site/data/queue.js"
};
static const unsigned char file_10[] = {
#embed "site/data/record.js"
};
static const unsigned char file_11[] = {
#embed "site/data/rules.js"
};
static const unsigned char file_12[] = {
#embed "site/data/storage.js"
};
static const unsigned char file_13[] = {
#embed "site/data/tileorder.js"
};
static const unsigned char file_14[] = {
#embed "site/data/undo.js"
};
static const unsigned char file_15[] = {
#embed "site/favicon.ico"
};
static const unsigned char file_16[] = {
#embed "site/icon-192.png"
};
static const unsigned char file_17[] = {
#embed "site/icon-512.png"
};
static const unsigned char file_18[] = {
#embed "site/icon-maskable.png"
};
static const unsigned char file_19[] = {
#embed "site/icon.svg"
};
static const unsigned char file_20[] = {
#embed "site/index.html"
};
static const unsigned char file_21[] = {
#embed "site/locale.js"
};
static const unsigned char file_22[] = {
#embed "site/manifest.webmanifest"
};
static const unsigned char file_23[] = {
#embed "site/pages/calendar.js"
};
static const unsigned char file_24[] = {
#embed "site/pages/data.js"
};
static const unsigned char file_25[] = {
#embed "site/pages/devices.js"
};
static const unsigned char file_26[] = {
#embed "site/pages/firstrun.js"
};
static const unsigned char file_27[] = {
#embed "site/pages/index.js"
};
static const unsigned char file_28[] = {
#embed "site/pages/insights.js"
};
static const unsigned char file_29[] = {
#embed "site/pages/mileage.js"
};
static const unsigned char file_30[] = {
#embed "site/pages/more.js"
};
static const unsigned char file_31[] = {
#embed "site/pages/notfound.js"
};
static const unsigned char file_32[] = {
#embed "site/pages/pair.js"
};
static const unsigned char file_33[] = {
#embed "site/pages/places.js"
};
static const unsigned char file_34[] = {
#embed "site/pages/settings.js"
};
static const unsigned char file_35[] = {
#embed "site/pages/timeline.js"
};
static const unsigned char file_36[] = {
#embed "site/pages/today.js"
};
static const unsigned char file_37[] = {
#embed "site/pages/trips.js"
};
static const unsigned char file_38[] = {
#embed "site/pages/type.js"
};
static const unsigned char file_39[] = {
#embed "site/pages/types.js"
};
static const unsigned char file_40[] = {
#embed "site/parts/amount.js"
};
static const unsigned char file_41[] = {
#embed "site/parts/chart.js"
};
static const unsigned char file_42[] = {
#embed "site/parts/colour.js"
};
static const unsigned char file_43[] = {
#embed "site/parts/dayband.js"
};
static const unsigned char file_44[] = {
#embed "site/parts/devicelist.js"
};
static const unsigned char file_45[] = {
#embed "site/parts/dom.js"
};
static const unsigned char file_46[] = {
#embed "site/parts/eventform.js"
};
static const unsigned char file_47[] = {
#embed "site/parts/eventrow.js"
};
static const unsigned char file_48[] = {
#embed "site/parts/eventtext.js"
};
static const unsigned char file_49[] = {
#embed "site/parts/field.js"
};
static const unsigned char file_50[] = {
#embed "site/parts/frame.js"
};
static const unsigned char file_51[] = {
#embed "site/parts/glyph.js"
};
static const unsigned char file_52[] = {
#embed "site/parts/goal.js"
};
static const unsigned char file_53[] = {
#embed "site/parts/heatmap.js"
};
static const unsigned char file_54[] = {
#embed "site/parts/hourgrid.js"
};
static const unsigned char file_55[] = {
#embed "site/parts/importform.js"
};
static const unsigned char file_56[] = {
#embed "site/parts/maptiles.js"
};
static const unsigned char file_57[] = {
#embed "site/parts/odometersheet.js"
};
static const unsigned char file_58[] = {
#embed "site/parts/pagehead.js"
};
static const unsigned char file_59[] = {
#embed "site/parts/placesheet.js"
};
static const unsigned char file_60[] = {
#embed "site/parts/routemap.js"
};
static const unsigned char file_61[] = {
#embed "site/parts/routesketch.js"
};
static const unsigned char file_62[] = {
#embed "site/parts/scorering.js"
};
static const unsigned char file_63[] = {
#embed "site/parts/selection.js"
};
static const unsigned char file_64[] = {
#embed "site/parts/sharebars.js"
};
static const unsigned char file_65[] = {
#embed "site/parts/sheet.js"
};
static const unsigned char file_66[] = {
#embed "site/parts/shortcuts.js"
};
static const unsigned char file_67[] = {
#embed "site/parts/skipsheet.js"
};
static const unsigned char file_68[] = {
#embed "site/parts/sparkline.js"
};
static const unsigned char file_69[] = {
#embed "site/parts/speedstrip.js"
};
static const unsigned char file_70[] = {
#embed "site/parts/toast.js"
};
static const unsigned char file_71[] = {
#embed "site/parts/trendchart.js"
};
static const unsigned char file_72[] = {
#embed "site/parts/tripactions.js"
};
static const unsigned char file_73[] = {
#embed "site/parts/tripsheet.js"
};
static const unsigned char file_74[] = {
#embed "site/parts/typeactions.js"
};
static const unsigned char file_75[] = {
#embed "site/parts/typeform.js"
};
static const unsigned char file_76[] = {
#embed "site/parts/typetile.js"
};
static const unsigned char file_77[] = {
#embed "site/parts/unsentsheet.js"
};
static const unsigned char file_78[] = {
#embed "site/parts/vehiclefilter.js"
};
static const unsigned char file_79[] = {
#embed "site/texts.js"
};
static const unsigned char file_80[] = {
#embed "site/theme.js"
};
static const unsigned char file_81[] = {
#embed "site/worker.js"
};

static const struct hub_page_file files[] = {
  {"app.css", file_0, sizeof file_0},
  {"app.js", file_1, sizeof file_1},
  {"apple-touch-icon.png", file_2, sizeof file_2},
  {"data/api.js", file_3, sizeof file_3},
  {"data/days.js", file_4, sizeof file_4},
  {"data/habits.js", file_5, sizeof file_5},
  {"data/id.js", file_6, sizeof file_6},
  {"data/navigation.js", file_7, sizeof file_7},
  {"data/preferences.js", file_8, sizeof file_8},
  {"data/queue.js", file_9, sizeof file_9},
  {"data/record.js", file_10, sizeof file_10},
  {"data/rules.js", file_11, sizeof file_11},
  {"data/storage.js", file_12, sizeof file_12},
  {"data/tileorder.js", file_13, sizeof file_13},
  {"data/undo.js", file_14, sizeof file_14},
  {"favicon.ico", file_15, sizeof file_15},
  {"icon-192.png", file_16, sizeof file_16},
  {"icon-512.png", file_17, sizeof file_17},
  {"icon-maskable.png", file_18, sizeof file_18},
  {"icon.svg", file_19, sizeof file_19},
  {"index.html", file_20, sizeof file_20},
  {"locale.js", file_21, sizeof file_21},
  {"manifest.webmanifest", file_22, sizeof file_22},
  {"pages/calendar.js", file_23, sizeof file_23},
  {"pages/data.js", file_24, sizeof file_24},
  {"pages/devices.js", file_25, sizeof file_25},
  {"pages/firstrun.js", file_26, sizeof file_26},
  {"pages/index.js", file_27, sizeof file_27},
  {"pages/insights.js", file_28, sizeof file_28},
  {"pages/mileage.js", file_29, sizeof file_29},
  {"pages/more.js", file_30, sizeof file_30},
  {"pages/notfound.js", file_31, sizeof file_31},
  {"pages/pair.js", file_32, sizeof file_32},
  {"pages/places.js", file_33, sizeof file_33},
  {"pages/settings.js", file_34, sizeof file_34},
  {"pages/timeline.js", file_35, sizeof file_35},
  {"pages/today.js", file_36, sizeof file_36},
  {"pages/trips.js", file_37, sizeof file_37},
  {"pages/type.js", file_38, sizeof file_38},
  {"pages/types.js", file_39, sizeof file_39},
  {"parts/amount.js", file_40, sizeof file_40},
  {"parts/chart.js", file_41, sizeof file_41},
  {"parts/colour.js", file_42, sizeof file_42},
  {"parts/dayband.js", file_43, sizeof file_43},
  {"parts/devicelist.js", file_44, sizeof file_44},
  {"parts/dom.js", file_45, sizeof file_45},
  {"parts/eventform.js", file_46, sizeof file_46},
  {"parts/eventrow.js", file_47, sizeof file_47},
  {"parts/eventtext.js", file_48, sizeof file_48},
  {"parts/field.js", file_49, sizeof file_49},
  {"parts/frame.js", file_50, sizeof file_50},
  {"parts/glyph.js", file_51, sizeof file_51},
  {"parts/goal.js", file_52, sizeof file_52},
  {"parts/heatmap.js", file_53, sizeof file_53},
  {"parts/hourgrid.js", file_54, sizeof file_54},
  {"parts/importform.js", file_55, sizeof file_55},
  {"parts/maptiles.js", file_56, sizeof file_56},
  {"parts/odometersheet.js", file_57, sizeof file_57},
  {"parts/pagehead.js", file_58, sizeof file_58},
  {"parts/placesheet.js", file_59, sizeof file_59},
  {"parts/routemap.js", file_60, sizeof file_60},
  {"parts/routesketch.js", file_61, sizeof file_61},
  {"parts/scorering.js", file_62, sizeof file_62},
  {"parts/selection.js", file_63, sizeof file_63},
  {"parts/sharebars.js", file_64, sizeof file_64},
  {"parts/sheet.js", file_65, sizeof file_65},
  {"parts/shortcuts.js", file_66, sizeof file_66},
  {"parts/skipsheet.js", file_67, sizeof file_67},
  {"parts/sparkline.js", file_68, sizeof file_68},
  {"parts/speedstrip.js", file_69, sizeof file_69},
  {"parts/toast.js", file_70, sizeof file_70},
  {"parts/trendchart.js", file_71, sizeof file_71},
  {"parts/tripactions.js", file_72, sizeof file_72},
  {"parts/tripsheet.js", file_73, sizeof file_73},
  {"parts/typeactions.js", file_74, sizeof file_74},
  {"parts/typeform.js", file_75, sizeof file_75},
  {"parts/typetile.js", file_76, sizeof file_76},
  {"parts/unsentsheet.js", file_77, sizeof file_77},
  {"parts/vehiclefilter.js", file_78, sizeof file_78},
  {"texts.js", file_79, sizeof file_79},
  {"theme.js", file_80, sizeof file_80},
  {"worker.js", file_81, sizeof file_81},
};

struct hub_page_file hub_page_file_at(size_t index) {
  if (index < sizeof files / sizeof files[0]) return files[index];
  return (struct hub_page_file){0};
}
