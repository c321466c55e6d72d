/** Texts that a link's page shows beside the survey. */
export interface AskTexts {
  /** The heading if the link gives no name. */
  title: string;
  /** The token has been used. */
  spent: string;
  /** The token has expired, or the project no longer has this survey. */
  expired: string;
  offline: string;
  /** The link is incomplete, or the service refuses its token. */
  invalid: string;
  /** The person has closed the survey. */
  closed: string;
  /** A button label. */
  show: string;
}

const texts: Readonly<Record<string, AskTexts>> = {
  en: {
    title: "Feedback",
    spent: "This link has already been used. The first answer counts.",
    expired: "This link has expired.",
    offline: "The survey could not be loaded. Check your connection and try again.",
    invalid: "This link is not valid. Open it again from the message that you received.",
    closed: "Nothing was sent. You can close this page.",
    show: "Show the survey",
  },
  ar: {
    title: "ملاحظاتك",
    spent: "سبق استخدام هذا الرابط. تُحتسب الإجابة الأولى.",
    expired: "انتهت صلاحية هذا الرابط.",
    offline: "تعذّر تحميل الاستبيان. تحقّق من الاتصال وحاول مرة أخرى.",
    invalid: "هذا الرابط غير صالح. افتحه مرة أخرى من الرسالة التي تلقيتها.",
    closed: "لم يُرسل أي شيء. يمكنك إغلاق هذه الصفحة.",
    show: "عرض الاستبيان",
  },
  de: {
    title: "Feedback",
    spent: "Dieser Link wurde schon benutzt. Es zählt die erste Antwort.",
    expired: "Dieser Link ist abgelaufen.",
    offline:
      "Die Umfrage konnte nicht geladen werden. Prüfen Sie die Verbindung und versuchen Sie es erneut.",
    invalid:
      "Dieser Link ist ungültig. Öffnen Sie ihn noch einmal aus der Nachricht, die Sie erhalten haben.",
    closed: "Es wurde nichts gesendet. Sie können diese Seite schließen.",
    show: "Umfrage anzeigen",
  },
  es: {
    title: "Comentarios",
    spent: "Este enlace ya se ha utilizado. Cuenta la primera respuesta.",
    expired: "Este enlace ha caducado.",
    offline: "No se pudo cargar la encuesta. Compruebe la conexión e inténtelo de nuevo.",
    invalid: "Este enlace no es válido. Ábralo de nuevo desde el mensaje que recibió.",
    closed: "No se ha enviado nada. Puede cerrar esta página.",
    show: "Mostrar la encuesta",
  },
  fr: {
    title: "Votre avis",
    spent: "Ce lien a déjà été utilisé. La première réponse compte.",
    expired: "Ce lien a expiré.",
    offline: "Le questionnaire n’a pas pu être chargé. Vérifiez votre connexion et réessayez.",
    invalid: "Ce lien n’est pas valide. Ouvrez-le à nouveau depuis le message que vous avez reçu.",
    closed: "Rien n’a été envoyé. Vous pouvez fermer cette page.",
    show: "Afficher le questionnaire",
  },
  he: {
    title: "משוב",
    spent: "כבר נעשה שימוש בקישור הזה. התשובה הראשונה היא הקובעת.",
    expired: "תוקף הקישור פג.",
    offline: "לא ניתן היה לטעון את הסקר. בדקו את החיבור ונסו שוב.",
    invalid: "הקישור אינו תקין. פתחו אותו שוב מההודעה שקיבלתם.",
    closed: "דבר לא נשלח. אפשר לסגור את הדף.",
    show: "הצגת הסקר",
  },
  hi: {
    title: "प्रतिक्रिया",
    spent: "यह लिंक पहले ही इस्तेमाल हो चुका है। पहला उत्तर मान्य है।",
    expired: "इस लिंक की अवधि समाप्त हो गई है।",
    offline: "सर्वेक्षण लोड नहीं हो सका। अपना कनेक्शन जाँचें और फिर कोशिश करें।",
    invalid: "यह लिंक मान्य नहीं है। इसे मिले हुए संदेश से फिर खोलें।",
    closed: "कुछ भी नहीं भेजा गया। आप यह पेज बंद कर सकते हैं।",
    show: "सर्वेक्षण दिखाएँ",
  },
  it: {
    title: "Il tuo parere",
    spent: "Questo link è già stato usato. Vale la prima risposta.",
    expired: "Questo link è scaduto.",
    offline: "Impossibile caricare il sondaggio. Controlla la connessione e riprova.",
    invalid: "Questo link non è valido. Aprilo di nuovo dal messaggio che hai ricevuto.",
    closed: "Non è stato inviato nulla. Puoi chiudere questa pagina.",
    show: "Mostra il sondaggio",
  },
  ja: {
    title: "フィードバック",
    spent: "このリンクはすでに使用されています。最初の回答が有効です。",
    expired: "このリンクの有効期限が切れています。",
    offline: "アンケートを読み込めませんでした。接続を確認して、もう一度お試しください。",
    invalid: "このリンクは無効です。受け取ったメッセージからもう一度開いてください。",
    closed: "何も送信されていません。このページを閉じて構いません。",
    show: "アンケートを表示",
  },
  ko: {
    title: "피드백",
    spent: "이미 사용된 링크입니다. 첫 번째 답변이 반영됩니다.",
    expired: "만료된 링크입니다.",
    offline: "설문을 불러오지 못했습니다. 연결을 확인하고 다시 시도해 주세요.",
    invalid: "잘못된 링크입니다. 받은 메시지에서 다시 열어 주세요.",
    closed: "아무것도 전송되지 않았습니다. 이 페이지를 닫아도 됩니다.",
    show: "설문 보기",
  },
  nl: {
    title: "Feedback",
    spent: "Deze link is al gebruikt. Het eerste antwoord telt.",
    expired: "Deze link is verlopen.",
    offline: "De enquête kon niet worden geladen. Controleer uw verbinding en probeer het opnieuw.",
    invalid: "Deze link is niet geldig. Open hem opnieuw vanuit het bericht dat u hebt ontvangen.",
    closed: "Er is niets verzonden. U kunt deze pagina sluiten.",
    show: "Enquête tonen",
  },
  pl: {
    title: "Opinia",
    spent: "Ten link został już użyty. Liczy się pierwsza odpowiedź.",
    expired: "Ten link wygasł.",
    offline: "Nie udało się wczytać ankiety. Sprawdź połączenie i spróbuj ponownie.",
    invalid: "Ten link jest nieprawidłowy. Otwórz go ponownie z otrzymanej wiadomości.",
    closed: "Nic nie zostało wysłane. Możesz zamknąć tę stronę.",
    show: "Pokaż ankietę",
  },
  pt: {
    title: "A sua opinião",
    spent: "Este link já foi utilizado. Conta a primeira resposta.",
    expired: "Este link expirou.",
    offline: "Não foi possível carregar a pesquisa. Verifique a ligação e tente novamente.",
    invalid: "Este link não é válido. Abra-o novamente a partir da mensagem que recebeu.",
    closed: "Nada foi enviado. Pode fechar esta página.",
    show: "Mostrar a pesquisa",
  },
  sv: {
    title: "Feedback",
    spent: "Länken har redan använts. Det första svaret gäller.",
    expired: "Länken har gått ut.",
    offline: "Enkäten kunde inte läsas in. Kontrollera anslutningen och försök igen.",
    invalid: "Länken är ogiltig. Öppna den igen från meddelandet som du fick.",
    closed: "Inget har skickats. Du kan stänga sidan.",
    show: "Visa enkäten",
  },
  tr: {
    title: "Geri bildirim",
    spent: "Bu bağlantı daha önce kullanıldı. İlk yanıt geçerlidir.",
    expired: "Bu bağlantının süresi doldu.",
    offline: "Anket yüklenemedi. Bağlantınızı kontrol edip yeniden deneyin.",
    invalid: "Bu bağlantı geçersiz. Aldığınız mesajdan yeniden açın.",
    closed: "Hiçbir şey gönderilmedi. Bu sayfayı kapatabilirsiniz.",
    show: "Anketi göster",
  },
  uk: {
    title: "Відгук",
    spent: "Це посилання вже використано. Враховується перша відповідь.",
    expired: "Термін дії посилання минув.",
    offline: "Не вдалося завантажити опитування. Перевірте з’єднання та спробуйте ще раз.",
    invalid: "Посилання недійсне. Відкрийте його знову з отриманого повідомлення.",
    closed: "Нічого не надіслано. Цю сторінку можна закрити.",
    show: "Показати опитування",
  },
  zh: {
    title: "反馈",
    spent: "此链接已被使用。以第一次回答为准。",
    expired: "此链接已过期。",
    offline: "无法加载问卷。请检查网络连接后重试。",
    invalid: "此链接无效。请从您收到的消息中重新打开。",
    closed: "未发送任何内容。您可以关闭此页面。",
    show: "显示问卷",
  },
};

/** The texts for a BCP 47 tag, and their language; English if there are none. */
export function askTextsFor(tag: string): [AskTexts, string] {
  const language = tag.toLowerCase().split(/[-_]/)[0]!;
  return Object.hasOwn(texts, language) ? [texts[language]!, language] : [texts["en"]!, "en"];
}
