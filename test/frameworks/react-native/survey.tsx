// recipe
import "react-native-get-random-values";
import { createHeadlessAfterword, type HeadlessAfterword, openAppPage } from "@afterword/browser/headless";
import AsyncStorage from "@react-native-async-storage/async-storage";
import { useEffect, useState, useSyncExternalStore } from "react";
import { AppState, Button, Text, View } from "react-native";

export async function openAfterword(key: string, baseUrl: string): Promise<HeadlessAfterword> {
  const page = await openAppPage({
    storage: AsyncStorage, // or any other four functions like its own; used only with consent
    lifeCycle: (notify) => AppState.addEventListener("change", notify), // notify("online") from NetInfo, if you have it
  });
  return createHeadlessAfterword({ key, baseUrl, consent: "granted" }, page);
}

export function Survey({ afterword }: { afterword: HeadlessAfterword }) {
  const open = useSyncExternalStore(afterword.subscribe, afterword.getSurvey);
  const [thanks, setThanks] = useState<string>();
  // Also for the rating that is sent when the app goes to the background.
  useEffect(
    () =>
      afterword.on("submitted", ({ result }) =>
        setThanks(result === "stored" ? "Thank you!" : "We will send it."),
      ),
    [afterword],
  );
  if (!open) return null;
  const close = () => {
    setThanks(undefined);
    if (thanks) open.done();
    else open.dismiss();
  };
  return (
    <View accessibilityLabel={open.survey.question}>
      <Text>{thanks ?? open.survey.question}</Text>
      {!thanks &&
        open.ratings.map((rating) => (
          <Button key={rating} title={`${rating}`} onPress={() => void open.submit({ rating })} />
        ))}
      <Button title="Close" onPress={close} />
    </View>
  );
}
// end
